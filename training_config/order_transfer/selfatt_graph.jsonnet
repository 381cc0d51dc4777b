// SelfAtt-Graph of Ahmad et al. (2019): neither the encoder nor the decoder sees word order.
//   UD_VECTORS=vectors UD_TRAIN=en_ewt-ud-train.conllu UD_DEV=en_ewt-ud-dev.conllu \
//   allennlp train training_config/order_transfer/selfatt_graph.jsonnet -s out/selfatt_graph
(import '../parts/order_transfer.libsonnet')(
  (import '../parts/position_attention.libsonnet')()
)
