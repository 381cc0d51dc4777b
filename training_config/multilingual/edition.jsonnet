// The second edition of the shipped model, trained on 267 treebanks with the language and the
// treebank as input (benchmarks/edition.py). UD_START is the archive whose weights training
// continues from, or empty to start from UD_ENCODER. UD_FAVOURED lists treebanks, or is empty: those
// that are new to the archive, which get four times their share of the sentences. An epoch is a
// small part of the data, so that development scores come often and little is lost when training is
// interrupted.
local start = std.extVar('UD_START');
local encoder = (import '../parts/encoder.libsonnet')(
  if start == '' then std.extVar('UD_ENCODER') else start, dropout=0.1, mask_probability=0.1
);
local favoured = std.extVar('UD_FAVOURED');
local weights = if favoured == '' then {} else { [name]: 4 for name in std.split(favoured, ',') };
local batches = (import '../parts/batches.libsonnet')(
  max_wordpieces=2000,
  sampling={ sampling: 'temperature', temperature: 2, epoch_size: 10000, weights: weights }
);
local label_lr = 3.5e-3;
local trainer = (import '../parts/finetune.libsonnet')(
  num_epochs=100,
  warmup={ warmup_epochs: 1 },
  base_lr=7e-4,
  encoder_lr=1.5e-4,
  label_lr=label_lr,
  frozen_epochs=0,
  cooldown=0.3
);
local decoders = (import '../parts/decoders.libsonnet')(arc_dim=384, deprel_dim=128);
local all = (import '../parts/udify.libsonnet')(encoder, batches, trainer, decoders)
            + (import '../parts/characters.libsonnet')(lr=label_lr)
            + (import '../parts/origins.libsonnet')(lr=label_lr);
all
+ (if start == '' then {} else (import '../parts/from_archive.libsonnet')(start, weights='all'))
+ { model+: { dropout: 0.2 }, trainer+: { cpu_bfloat16: true, stored_precision: 'int4' } }
