// A replacement for the teacher: an older shipped model, trained further. UD_ENCODER is its
// archive, or 'multilingual' for the installed one (benchmarks/multilingual.py --further).
local archive = std.extVar('UD_ENCODER');
local encoder = (import '../parts/encoder.libsonnet')(archive, dropout=0.1, mask_probability=0.1);
local batches = (import '../parts/batches.libsonnet')(
  max_wordpieces=2000, sampling={ sampling: 'temperature', temperature: 2, epoch_size: 80000 }
);
local trainer = (import '../parts/finetune.libsonnet')(
  num_epochs=1,
  warmup={ warmup_epochs: 0.2 },
  base_lr=7e-4,
  encoder_lr=1.5e-4,
  label_lr=3.5e-3,
  frozen_epochs=0
);
local decoders = (import '../parts/decoders.libsonnet')(arc_dim=384, deprel_dim=128);
(import '../parts/udify.libsonnet')(encoder, batches, trainer, decoders)
  + (import '../parts/characters.libsonnet')(lr=3.5e-3)
  + (import '../parts/from_archive.libsonnet')(archive, weights='all')
  + { model+: { dropout: 0.2 }, trainer+: { cpu_bfloat16: true, stored_precision: 'int4' } }
