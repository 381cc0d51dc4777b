// RNN-Stack of Ahmad et al. (2019): both the encoder and the decoder see word order.
//   UD_VECTORS=vectors UD_TRAIN=en_ewt-ud-train.conllu UD_DEV=en_ewt-ud-dev.conllu \
//   allennlp train training_config/order_transfer/rnn_stack.jsonnet -s out/rnn_stack
(import '../parts/order_transfer.libsonnet')(
  (import '../parts/lstm.libsonnet')(), decoder='stack', dropout=0.33, lr=1e-3, batch_size=32
)
