// SelfAtt-Stack of Ahmad et al. (2019): a left-to-right decoder on an order-free encoder.
//   UD_VECTORS=vectors UD_TRAIN=en_ewt-ud-train.conllu UD_DEV=en_ewt-ud-dev.conllu \
//   allennlp train training_config/order_transfer/selfatt_stack.jsonnet -s out/selfatt_stack
(import '../parts/order_transfer.libsonnet')(
  (import '../parts/position_attention.libsonnet')(), decoder='stack'
)
