// Your treebank, starting from all weights of the shipped model: minutes on a CPU. Its labels are
// kept and extended by those of the treebank. Small treebanks get enough epochs for 600 updates;
// with -o '{"trainer.least_steps": 0}' training takes a minute and is slightly worse.
local model = 'multilingual';
local encoder = (import 'parts/encoder.libsonnet')(model, dropout=0.1, mask_probability=0.1);
local batches = (import 'parts/batches.libsonnet')(max_wordpieces=2000);
local label_lr = 5e-3;
local trainer = (import 'parts/finetune.libsonnet')(
  num_epochs=8,
  warmup={ warmup_epochs: 0.5 },
  base_lr=5e-4,
  encoder_lr=1e-4,
  label_lr=label_lr,
  frozen_epochs=0
);
local decoders = (import 'parts/decoders.libsonnet')(arc_dim=384, deprel_dim=128);
(import 'parts/udify.libsonnet')(encoder, batches, trainer, decoders)
  + (import 'parts/characters.libsonnet')(lr=label_lr)
  + (import 'parts/origins.libsonnet')(lr=label_lr)
  + (import 'parts/lexicon.libsonnet')()
  + (import 'parts/from_archive.libsonnet')(model, weights='all')
  + { model+: { dropout: 0.2 }, trainer+: { cpu_bfloat16: true, least_steps: 600 } }
