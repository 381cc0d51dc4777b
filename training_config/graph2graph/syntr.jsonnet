// SynTr (Mohammadshahi 2023, section 3.4; Table 3.7): one treebank, its gold UPOS, the last layer of
// the encoder, 200 epochs.
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN=... UD_DEV=... \
//   allennlp train training_config/graph2graph/syntr.jsonnet -s out/syntr
(import '../parts/graph2graph.libsonnet')(std.extVar('UD_ENCODER')).syntr
+ (import '../parts/treebanks.libsonnet')
+ (import '../parts/batches.libsonnet')(max_wordpieces=1000)
+ { trainer: (import '../parts/bert_adam.libsonnet')() }
