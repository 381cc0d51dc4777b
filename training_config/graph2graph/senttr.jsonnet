// SentTr (Mohammadshahi 2023, section 2.3; Table 2.10 with two rates): greedy transitions over six
// layers of the encoder, which reads the sentence once.
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN=... UD_DEV=... \
//   allennlp train training_config/graph2graph/senttr.jsonnet -s out/senttr
(import '../parts/graph2graph.libsonnet')(std.extVar('UD_ENCODER')).senttr(graph=false, layers=6)
+ (import '../parts/treebanks.libsonnet')
// From the released code; the thesis does not state it.
+ (import '../parts/batches.libsonnet')(batch_size=40)
+ { trainer: (import '../parts/bert_adam.libsonnet')(
  num_epochs=20, base_lr=1e-4, patience=null, eps=1e-6
) }
