// One decoder a task (thesis, section 3.3.1 and Table 3.3). Take a line out to leave a task out.
// xpos: tag sets differ from treebank to treebank, so the thesis leaves them out.
// tag_dim is what deprel_dim was called before.
// min_labels: with fewer feats, lemma scripts or XPOS tags their softmax is a plain one.
function(arc_dim=768, deprel_dim=256, xpos=false, tag_dim=deprel_dim, min_labels=1000) {
  local tag(task, adaptive) = {
    type: 'udify_tag_decoder',
    task: task,
    adaptive: adaptive,
    label_smoothing: 0.03,
    [if adaptive && min_labels != 1000 then 'min_labels']: min_labels,
  },
  upos: tag('upos', adaptive=false),
  feats: tag('feats', adaptive=true),
  lemma: {
    type: 'udify_lemma_decoder',
    label_smoothing: 0.03,
    [if min_labels != 1000 then 'min_labels']: min_labels,
  },
  [if xpos then 'xpos']: tag('xpos', adaptive=true),
  deps: { type: 'udify_dependency_decoder', arc_dim: arc_dim, deprel_dim: tag_dim },
}
