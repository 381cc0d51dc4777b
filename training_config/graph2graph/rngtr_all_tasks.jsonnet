// rngtr.jsonnet that also predicts UPOS, feats and lemmas again, with the graph in its attention.
// UD_TRAIN may be any number of treebanks; UD_PREDICTED has a file of the same name for each.
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN='ud/*/*-ud-train.conllu' UD_DEV=... \
//   UD_INITIAL=... UD_PREDICTED=... \
//   allennlp train training_config/graph2graph/rngtr_all_tasks.jsonnet -s out/rngtr_all_tasks
(import '../parts/graph2graph.libsonnet')(std.extVar('UD_ENCODER')).rngtr_of(
  std.extVar('UD_INITIAL'), std.extVar('UD_PREDICTED'), iterations=3, all_tasks=true
)
+ (import '../parts/treebanks.libsonnet')
+ (import '../parts/batches.libsonnet')(max_wordpieces=800)
+ { trainer: (import '../parts/bert_adam.libsonnet')() + { type: 'udify_refining' } }
