// syng2g.jsonnet for spans (CoNLL 2005), with the trees of a parser, which is kept in its archive.
// UD_PREDICTED is a folder with the parser's predictions for the training files:
//   allennlp predict $UD_INITIAL $UD_TRAIN --output-file $UD_PREDICTED/$(basename $UD_TRAIN)
//   UD_ENCODER=bert-large-uncased-whole-word-masking UD_TRAIN=train.conll UD_DEV=dev.conll \
//   allennlp train training_config/graph2graph/syng2g_spans.jsonnet -s out/syng2g
(import '../parts/treebanks.libsonnet')
+ (import '../parts/roles.libsonnet')(
  std.extVar('UD_ENCODER'), syntax=std.extVar('UD_INITIAL'), folder=std.extVar('UD_PREDICTED')
)
+ (import '../parts/batches.libsonnet')()
+ { trainer: (import '../parts/bert_adam.libsonnet')(
  num_epochs=100, base_lr=1.5e-3, warmup=0.001, patience=20
) + { validation_metric: '+roles_F1' } }
