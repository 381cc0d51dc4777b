// StateCLSTr (Mohammadshahi 2023, Table 2.1): StateTr that predicts steps from the first wordpiece.
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN=... UD_DEV=... \
//   allennlp train training_config/graph2graph/statetr_cls.jsonnet -s out/statetr_cls
(import '../parts/graph2graph.libsonnet')(std.extVar('UD_ENCODER')).statetr(graph=false, graph_output=false)
+ (import '../parts/treebanks.libsonnet')
// From the released code; the thesis does not state it.
+ (import '../parts/batches.libsonnet')(batch_size=40)
+ { trainer: (import '../parts/bert_adam.libsonnet')(
  num_epochs=20, base_lr=1e-5, patience=null, eps=1e-6
) }
