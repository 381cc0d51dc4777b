// For an afternoon on a CPU with a small encoder (such as 12 layers of 384): few epochs, so less
// regularization than for the thesis's 80 epochs, and higher rates. Small treebanks get enough
// epochs for 600 updates, characters and plain softmaxes for feats and lemmas, and a lexicon.
local encoder = (import 'parts/encoder.libsonnet')(
  std.extVar('UD_ENCODER'), dropout=0.1, mask_probability=0.1
);
local batches = (import 'parts/batches.libsonnet')(max_wordpieces=2000);
local label_lr = 5e-3;
local trainer = (import 'parts/finetune.libsonnet')(
  num_epochs=8,
  warmup={ warmup_epochs: 0.5 },
  base_lr=1e-3,
  encoder_lr=2e-4,
  label_lr=label_lr,
  frozen_epochs=1
);
local decoders = (import 'parts/decoders.libsonnet')(arc_dim=384, deprel_dim=128, min_labels=5000);
(import 'parts/udify.libsonnet')(encoder, batches, trainer, decoders)
  + (import 'parts/characters.libsonnet')(lr=label_lr)
  + (import 'parts/lexicon.libsonnet')()
  + { model+: { dropout: 0.2 }, trainer+: { cpu_bfloat16: true, least_steps: 600 } }
