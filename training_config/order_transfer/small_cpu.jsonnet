// SelfAtt-Graph of Ahmad et al. (2019), smaller, with higher rates: minutes on a CPU.
//   UD_VECTORS=vectors UD_TRAIN=en_ewt-ud-train.conllu UD_DEV=en_ewt-ud-dev.conllu \
//   allennlp train training_config/order_transfer/small_cpu.jsonnet -s out/small
local attention = (import '../parts/position_attention.libsonnet')(
  num_layers=3, hidden_dim=256, num_heads=4, dropout=0.1, attention_dropout=0.1
);
(import '../parts/order_transfer.libsonnet')(
  attention, lr=1e-3, batch_size=32, num_epochs=12
)
+ {
  trainer+: {
    optimizer+: { betas: [0.9, 0.99], eps: 1e-8 },
    learning_rate_scheduler: { type: 'udify_inverse_sqrt', frozen_epochs: 0, warmup_epochs: 1 },
    callbacks: [],
  },
}
