// syng2g.jsonnet on a CPU with a small encoder (12 layers of 384, say), and narrower layers.
(import '../parts/treebanks.libsonnet')
+ (import '../parts/roles.libsonnet')(
  std.extVar('UD_ENCODER'), style='dependency', dropout=0.1, sizes={ span_dim: 256, label_dim: 128 }
)
+ (import '../parts/batches.libsonnet')(max_wordpieces=2000)
+ { trainer: (import '../parts/refining_small_cpu.libsonnet')('udify', num_epochs=5)
  + { validation_metric: '+roles_F1' } }
