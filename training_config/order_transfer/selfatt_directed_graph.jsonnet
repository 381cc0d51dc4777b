// SelfAtt-Relative+Dir of Ahmad et al. (2019, Table 3): relative positions with their direction.
//   UD_VECTORS=vectors UD_TRAIN=en_ewt-ud-train.conllu UD_DEV=en_ewt-ud-dev.conllu \
//   allennlp train training_config/order_transfer/selfatt_directed_graph.jsonnet -s out/selfatt_directed_graph
(import '../parts/order_transfer.libsonnet')(
  (import '../parts/position_attention.libsonnet')(positions='directed')
)
