// rngtr_all_tasks.jsonnet for an afternoon on a CPU with a small encoder.
(import '../parts/graph2graph.libsonnet')(
  std.extVar('UD_ENCODER'), dropout=0.1, arc_dim=384, deprel_dim=128
).rngtr_of(
  std.extVar('UD_INITIAL'), std.extVar('UD_PREDICTED'), iterations=3, all_tasks=true
)
+ (import '../parts/treebanks.libsonnet')
+ (import '../parts/batches.libsonnet')(max_wordpieces=2000)
+ { trainer: (import '../parts/refining_small_cpu.libsonnet')('udify_refining') }
