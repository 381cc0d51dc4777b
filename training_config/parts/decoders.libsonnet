// One decoder a task (thesis, section 3.3.1 and Table 3.3). Take a line out to leave a task out.
local tag(task, adaptive) = {
  type: 'udify_tag_decoder',
  task: task,
  adaptive: adaptive,
  label_smoothing: 0.03,
};
// xpos: tag sets differ from treebank to treebank, so the thesis leaves them out.
function(arc_dim=768, tag_dim=256, xpos=false) {
  upos: tag('upos', adaptive=false),
  feats: tag('feats', adaptive=true),
  lemma: tag('lemma', adaptive=true),
  [if xpos then 'xpos']: tag('xpos', adaptive=true),
  deps: { type: 'udify_dependency_decoder', arc_dim: arc_dim, tag_dim: tag_dim },
}
