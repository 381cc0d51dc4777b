// SelfAtt-Graph of Ahmad et al. (2019), smaller, with higher rates: minutes on a CPU.
//   UD_VECTORS=vectors UD_TRAIN=en_ewt-ud-train.conllu UD_DEV=en_ewt-ud-dev.conllu \
//   allennlp train training_config/order_transfer/small_cpu.jsonnet -s out/small
(import '../parts/order_transfer_small_cpu.libsonnet')()
