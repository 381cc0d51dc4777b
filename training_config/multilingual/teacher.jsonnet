// The teacher of the shipped model: UDify with characters, trained on all treebanks whose licences
// permit using and distributing the result (benchmarks/multilingual.py).
local encoder = (import '../parts/encoder.libsonnet')(
  std.extVar('UD_ENCODER'), dropout=0.1, mask_probability=0.1
);
local batches = (import '../parts/batches.libsonnet')(
  max_wordpieces=2000, sampling={ sampling: 'temperature', temperature: 2 }
);
local trainer = (import '../parts/finetune.libsonnet')(
  num_epochs=3,
  warmup={ warmup_epochs: 0.2 },
  base_lr=1e-3,
  encoder_lr=2e-4,
  label_lr=5e-3,
  frozen_epochs=0,
  cooldown=1 / 3
);
local decoders = (import '../parts/decoders.libsonnet')(arc_dim=384, deprel_dim=128);
(import '../parts/udify.libsonnet')(encoder, batches, trainer, decoders)
  + (import '../parts/characters.libsonnet')(lr=5e-3)
  + { model+: { dropout: 0.2 }, trainer+: { cpu_bfloat16: true } }
