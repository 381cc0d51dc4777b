// SentTr+G2GTr-7 layer (Mohammadshahi 2023, Table 2.1): senttr_g2g.jsonnet with a layer more.
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN=... UD_DEV=... \
//   allennlp train training_config/graph2graph/senttr_g2g_7.jsonnet -s out/senttr_g2g_7
(import '../parts/graph2graph.libsonnet')(std.extVar('UD_ENCODER')).senttr(graph=true, layers=7)
+ (import '../parts/treebanks.libsonnet')
+ (import '../parts/batches.libsonnet')(batch_size=40)
+ { trainer: (import '../parts/bert_adam.libsonnet')(
  num_epochs=20, base_lr=1e-4, patience=null, eps=1e-6
) + { type: 'udify_refining' } }
