// T_rel ATTN of Ji et al. (2023), smaller, over a small frozen encoder (384 wide): minutes on a CPU.
//   UD_ENCODER=intfloat/multilingual-e5-small UD_TRAIN=en_ewt-ud-train.conllu,de_gsd-ud-train.conllu \
//   UD_DEV=en_ewt-ud-dev.conllu,de_gsd-ud-dev.conllu \
//   allennlp train training_config/typology/small_cpu.jsonnet -s out/small
(import '../parts/typology.libsonnet')(
  std.extVar('UD_ENCODER'),
  { type: 'attn', prior_dim: 64 },
  num_layers=2,
  num_heads=6,
  hidden_dim=768,
  dropout=0.1,
  arc_dim=256,
  deprel_dim=64,
  batch_size=32,
  max_wordpieces=3200,
  num_epochs=8,
  below_layers='mix'
)
+ { trainer+: { cpu_bfloat16: true } }
