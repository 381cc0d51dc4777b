// SentTr+G2GTr (Mohammadshahi 2023, section 2.4; Table 2.10 with two rates): before each step the
// encoder attends to the arcs so far.
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN=... UD_DEV=... \
//   allennlp train training_config/graph2graph/senttr_g2g.jsonnet -s out/senttr_g2g
(import '../parts/graph2graph.libsonnet')(std.extVar('UD_ENCODER')).senttr(graph=true, layers=6)
+ (import '../parts/treebanks.libsonnet')
+ (import '../parts/batches.libsonnet')(batch_size=40)
+ { trainer: (import '../parts/bert_adam.libsonnet')(
  num_epochs=20, base_lr=1e-4, patience=null, eps=1e-6
) + { type: 'udify_refining' } }
