// SynG2G-Tr (Mohammadshahi 2023, Table 4.4): predicates and their arguments, with the trees of the files
// (CoNLL 2009: the P columns) in the attention of the encoder. Table 4.6: key=false, then query=false too,
// or value=true.
//   UD_ENCODER=bert-large-uncased-whole-word-masking UD_TRAIN=train.conll09 UD_DEV=dev.conll09 \
//   allennlp train training_config/graph2graph/syng2g.jsonnet -s out/syng2g
(import '../parts/treebanks.libsonnet')
+ (import '../parts/roles.libsonnet')(std.extVar('UD_ENCODER'), style='dependency')
+ (import '../parts/batches.libsonnet')()
+ { trainer: (import '../parts/bert_adam.libsonnet')(
  num_epochs=100, base_lr=1.5e-3, warmup=0.001, patience=20
) + { validation_metric: '+roles_F1' } }
