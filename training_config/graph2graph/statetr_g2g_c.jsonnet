// StateTr+G2GTr+C (Mohammadshahi 2023, Table 2.1): StateTr+G2GTr with composed words.
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN=... UD_DEV=... \
//   allennlp train training_config/graph2graph/statetr_g2g_c.jsonnet -s out/statetr_g2g_c
(import '../parts/graph2graph.libsonnet')(std.extVar('UD_ENCODER')).statetr(graph=true, composition=true)
+ (import '../parts/treebanks.libsonnet')
// From the released code; the thesis does not state it.
+ (import '../parts/batches.libsonnet')(batch_size=12)
+ { trainer: (import '../parts/bert_adam.libsonnet')(
  num_epochs=20, base_lr=1e-5, patience=null, eps=1e-6
) }
