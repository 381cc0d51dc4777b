// Spans (CoNLL 2005) without syntax, on a CPU with a small encoder.
(import '../parts/treebanks.libsonnet')
+ (import '../parts/roles.libsonnet')(
  std.extVar('UD_ENCODER'), style='span', syntax='empty', upos=false, dropout=0.1, sizes={ span_dim: 256, label_dim: 128 }
)
+ (import '../parts/batches.libsonnet')(max_wordpieces=2000)
+ { trainer: (import '../parts/refining_small_cpu.libsonnet')('udify', num_epochs=5)
  + { validation_metric: '+roles_F1' } }
