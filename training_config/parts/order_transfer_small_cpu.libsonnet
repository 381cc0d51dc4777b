// The systems of Ahmad et al. (2019), smaller, with higher rates and a fixed number of epochs; they
// differ only in `encoder` and `decoder`: minutes on a CPU.
local position_attention = import 'position_attention.libsonnet';
local lstm = import 'lstm.libsonnet';
function(encoder='undirected', decoder='graph', num_epochs=12)
  local layers = if encoder == 'lstm' then lstm(hidden_dim=150, num_layers=2) else position_attention(
    positions=encoder, num_layers=3, hidden_dim=256, num_heads=4, dropout=0.1, attention_dropout=0.1
  );
  (import 'order_transfer.libsonnet')(
    layers, decoder=decoder, lr=1e-3, batch_size=32, num_epochs=num_epochs
  )
  + {
    trainer+: {
      optimizer+: { betas: [0.9, 0.99], eps: 1e-8 },
      learning_rate_scheduler: { type: 'udify_inverse_sqrt', frozen_epochs: 0, warmup_epochs: 1 },
      callbacks: [],
    },
  }
