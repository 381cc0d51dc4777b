// StateTr+G2GTr (Mohammadshahi 2023, section 2.4): instead of composing words, the encoder also
// reads words that have left the stack, and attends to all arcs so far.
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN=... UD_DEV=... \
//   allennlp train training_config/graph2graph/statetr_g2g.jsonnet -s out/statetr_g2g
(import '../parts/graph2graph.libsonnet')(std.extVar('UD_ENCODER')).statetr(graph=true)
+ (import '../parts/treebanks.libsonnet')
// From the released code; the thesis does not state it.
+ (import '../parts/batches.libsonnet')(batch_size=12)
+ { trainer: (import '../parts/bert_adam.libsonnet')(
  num_epochs=20, base_lr=1e-5, patience=null, eps=1e-6
) }
