// Empty + RNGTr (Mohammadshahi 2023, Table 3.2): no initial parser, four passes.
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN=... UD_DEV=... \
//   allennlp train training_config/graph2graph/rngtr_empty.jsonnet -s out/rngtr_empty
(import '../parts/graph2graph.libsonnet')(std.extVar('UD_ENCODER')).rngtr('empty', iterations=4)
+ (import '../parts/treebanks.libsonnet')
+ (import '../parts/batches.libsonnet')(max_wordpieces=800)
+ { trainer: (import '../parts/bert_adam.libsonnet')() + { type: 'udify_refining' } }
