// SelfAtt-Absolute of Ahmad et al. (2019, Table 3): sinusoids concatenated to the input.
//   UD_VECTORS=vectors UD_TRAIN=en_ewt-ud-train.conllu UD_DEV=en_ewt-ud-dev.conllu \
//   allennlp train training_config/order_transfer/selfatt_absolute_graph.jsonnet -s out/selfatt_absolute_graph
(import '../parts/order_transfer.libsonnet')(
  (import '../parts/position_attention.libsonnet')(positions='absolute')
)
