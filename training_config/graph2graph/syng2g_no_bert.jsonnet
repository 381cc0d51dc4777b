// SynG2G-Tr without BERT (Mohammadshahi 2023, Tables 4.1 and 4.2): the encoder's word vectors below
// randomly initialized layers. The thesis states no rate for these; "separate optimisers for
// pre-trained parameters and randomly initialised ones" implies the base rate, which the vectors
// also have here.
//   UD_ENCODER=bert-large-uncased-whole-word-masking UD_TRAIN=train.conll09 UD_DEV=dev.conll09 \
//   allennlp train training_config/graph2graph/syng2g_no_bert.jsonnet -s out/syng2g_no_bert
(import '../parts/treebanks.libsonnet')
+ (import '../parts/roles.libsonnet')(std.extVar('UD_ENCODER'), style='dependency', bert=false)
+ (import '../parts/batches.libsonnet')()
+ { trainer: (import '../parts/bert_adam.libsonnet')(
  num_epochs=100, base_lr=1.5e-3, encoder_lr=1.5e-3, warmup=0.001, patience=20
) + { validation_metric: '+roles_F1' } }
