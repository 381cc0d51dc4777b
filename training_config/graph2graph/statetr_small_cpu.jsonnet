// statetr.jsonnet for an afternoon on a CPU with a small encoder.
(import '../parts/graph2graph.libsonnet')(std.extVar('UD_ENCODER'), dropout=0.1).statetr(
  graph=false
)
+ (import '../parts/treebanks.libsonnet')
+ (import '../parts/batches.libsonnet')(max_wordpieces=2000)
+ { trainer: (import '../parts/refining_small_cpu.libsonnet')('udify') }
