// A student with one decoder layer of a model of small_cpu.jsonnet, for a CPU. UD_TEACHER is that
// model's archive or run folder.
local teacher = std.extVar('UD_TEACHER');
(import '../parts/translation.libsonnet')(
  teacher,
  per_group=4000,
  batch_size=128,
  max_wordpieces=2000,
  num_epochs=5,
  lr=5e-4,
  warmup={ warmup_epochs: 0.5 }
)
  + (import '../parts/taught_translation.libsonnet')(teacher, alone_updates=200)
  + { model+: { decoder_layers: 1 }, trainer+: { cpu_bfloat16: true } }
