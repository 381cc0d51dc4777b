// UDify + RNGTr (Mohammadshahi 2023, Tables 3.2 and 3.7): refines the predictions of the model
// UD_INITIAL, which is kept in the archive. UD_PREDICTED is a folder with its predictions for the
// training files:
//   allennlp predict $UD_INITIAL $UD_TRAIN --output-file $UD_PREDICTED/$(basename $UD_TRAIN)
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN=... UD_DEV=... \
//   allennlp train training_config/graph2graph/rngtr.jsonnet -s out/rngtr
(import '../parts/graph2graph.libsonnet')(std.extVar('UD_ENCODER')).rngtr_of(
  std.extVar('UD_INITIAL'), std.extVar('UD_PREDICTED'), iterations=3
)
+ (import '../parts/treebanks.libsonnet')
+ (import '../parts/batches.libsonnet')(max_wordpieces=800)
+ { trainer: (import '../parts/bert_adam.libsonnet')() + { type: 'udify_refining' } }
