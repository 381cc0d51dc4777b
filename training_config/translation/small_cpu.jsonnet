// A small model from random weights, for a CPU: 4 + 4 layers of 256. It can teach small_cpu_student.
//   export UD_TRAIN='tatoeba/*/train.*' UD_DEV='tatoeba/*/dev.*'
(import '../parts/translation.libsonnet')(
  vocab_size=8000,
  per_group=4000,
  batch_size=128,
  max_wordpieces=2000,
  lr=1e-3,
  warmup={ warmup_epochs: 1 }
) + {
  model+: {
    architecture: {
      d_model: 256,
      encoder_layers: 4,
      decoder_layers: 4,
      encoder_ffn_dim: 1024,
      decoder_ffn_dim: 1024,
      encoder_attention_heads: 4,
      decoder_attention_heads: 4,
    },
  },
  trainer+: { cpu_bfloat16: true },
}
