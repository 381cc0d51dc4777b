// One decoder per task (thesis, section 3.3.1 and Table 3.3). Remove a line to omit a task.
// xpos: tag sets differ between treebanks, so the thesis omits them. tag_dim is the former name of
// deprel_dim.
// min_labels: with fewer feats, lemma rules or XPOS tags, their softmax is a plain one.
// feats: 'whole' strings; 'attributes', each separately (section 3.3.1); 'both' learns both and
// predicts by strings.
// best_tree: the released code searches for the best tree by arcs and deprels together; the thesis
// does not specify it. Deprels are scored for arcs at most label_margin nats below a word's best.
// 'arcs': by arcs alone.
function(
  arc_dim=768,
  deprel_dim=256,
  xpos=false,
  tag_dim=deprel_dim,
  min_labels=1000,
  feats='whole',
  best_tree='arcs+labels',
  label_margin=2
) {
  local tag(task, adaptive) = {
    type: 'udify_tag_decoder',
    task: task,
    adaptive: adaptive,
    label_smoothing: 0.03,
    [if adaptive && min_labels != 1000 then 'min_labels']: min_labels,
  },
  upos: tag('upos', adaptive=false),
  feats: if feats == 'whole' then tag('feats', adaptive=true) else {
    type: 'udify_feats_by_attribute_decoder',
    whole: feats == 'both',
    label_smoothing: 0.03,
    [if min_labels != 1000 then 'min_labels']: min_labels,
  },
  lemma: {
    type: 'udify_lemma_decoder',
    label_smoothing: 0.03,
    [if min_labels != 1000 then 'min_labels']: min_labels,
  },
  [if xpos then 'xpos']: tag('xpos', adaptive=true),
  deps: {
    type: 'udify_dependency_decoder',
    arc_dim: arc_dim,
    deprel_dim: tag_dim,
    [if best_tree != 'arcs' then 'best_tree']: best_tree,
    [if best_tree != 'arcs' then 'label_margin']: label_margin,
  },
}
