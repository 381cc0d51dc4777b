// SelfAtt-Graph of Ahmad et al. (2019) without words: UPOS only, as for Chinese and Japanese (footnote 4).
//   UD_TRAIN=en_ewt-ud-train.conllu UD_DEV=en_ewt-ud-dev.conllu \
//   allennlp train training_config/order_transfer/selfatt_graph_delexicalised.jsonnet -s out/delexicalised
(import '../parts/order_transfer.libsonnet')(
  (import '../parts/position_attention.libsonnet')(), vectors=null
)
