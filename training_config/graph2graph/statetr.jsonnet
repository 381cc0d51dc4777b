// StateTr (Mohammadshahi 2023, section 2.3; Table 2.10 with one rate, the better one of Table 2.9):
// at each step the encoder reads the stack and the buffer, whose words are composed with their
// dependents. For two rates: -o '{"trainer.optimizer.lr": 1e-4}'.
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN=... UD_DEV=... \
//   allennlp train training_config/graph2graph/statetr.jsonnet -s out/statetr
(import '../parts/graph2graph.libsonnet')(std.extVar('UD_ENCODER')).statetr(graph=false)
+ (import '../parts/treebanks.libsonnet')
// From the released code; the thesis does not state it.
+ (import '../parts/batches.libsonnet')(batch_size=40)
+ { trainer: (import '../parts/bert_adam.libsonnet')(
  num_epochs=20, base_lr=1e-5, patience=null, eps=1e-6
) }
