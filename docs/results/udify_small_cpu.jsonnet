// The config behind docs/results.md: an earlier udify_small_cpu.jsonnet, without characters, plain
// softmaxes and more epochs for small treebanks.
local encoder = (import '../../training_config/parts/encoder.libsonnet')(
  std.extVar('UD_ENCODER'), dropout=0.1, mask_probability=0.1
);
local batches = (import '../../training_config/parts/batches.libsonnet')(max_wordpieces=2000);
local trainer = (import '../../training_config/parts/finetune.libsonnet')(
  num_epochs=8,
  warmup={ warmup_epochs: 0.5 },
  base_lr=1e-3,
  encoder_lr=2e-4,
  label_lr=5e-3,
  frozen_epochs=1
);
local decoders = (import '../../training_config/parts/decoders.libsonnet')(
  arc_dim=384, deprel_dim=128, best_tree='arcs'
);
(import '../../training_config/parts/udify.libsonnet')(encoder, batches, trainer, decoders)
  + { model+: { dropout: 0.2 }, trainer+: { cpu_bfloat16: true } }
