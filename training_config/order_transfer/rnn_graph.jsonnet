// RNN-Graph of Ahmad et al. (2019): an order-sensitive LSTM and an order-free decoder.
//   UD_VECTORS=vectors UD_TRAIN=en_ewt-ud-train.conllu UD_DEV=en_ewt-ud-dev.conllu \
//   allennlp train training_config/order_transfer/rnn_graph.jsonnet -s out/rnn_graph
(import '../parts/order_transfer.libsonnet')(
  (import '../parts/lstm.libsonnet')(), dropout=0.33, lr=1e-3, batch_size=32
)
