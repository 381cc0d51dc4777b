// chart.jsonnet for an afternoon on a CPU with a small encoder (such as 12 layers of 384): few
// epochs, so less dropout, and higher rates, as in udify_small_cpu.jsonnet.
local constituency = import '../parts/constituency.libsonnet';
local encoder = (import '../parts/encoder.libsonnet')(
  std.extVar('UD_ENCODER'), dropout=0.1, mask_probability=0.1
);
local batches = (import '../parts/batches.libsonnet')(max_wordpieces=2000);
local trainer = (import '../parts/finetune.libsonnet')(
  num_epochs=8, warmup={ warmup_epochs: 0.5 }, base_lr=1e-3, encoder_lr=2e-4
);
(import '../parts/udify.libsonnet')(encoder, batches, trainer, constituency.decoders())
+ constituency.scored
+ { model+: { dropout: 0.2 }, trainer+: { cpu_bfloat16: true } }
