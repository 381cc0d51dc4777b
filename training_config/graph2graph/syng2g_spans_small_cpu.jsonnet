// Spans (CoNLL 2005) without syntax, on a CPU with a small encoder.
(import '../parts/small_cpu.libsonnet')(
  (import 'syng2g.jsonnet')
  + (import '../parts/roles.libsonnet')(std.extVar('UD_ENCODER'), style='span', syntax='empty', upos=false),
  num_epochs=5
)
