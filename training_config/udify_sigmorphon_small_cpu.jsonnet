// SIGMORPHON 2019, task 2, for a CPU with a small encoder: udify_sigmorphon.jsonnet with the rates of
// udify_small_cpu.jsonnet, more epochs for treebanks of a few hundred sentences, and early stopping
// after five epochs without progress. It departs from the released config like that one, and has a
// lexicon of lemmas.
local encoder = (import 'parts/encoder.libsonnet')(
  std.extVar('UD_ENCODER'), dropout=0.1, mask_probability=0.1
);
local batches = (import 'parts/batches.libsonnet')(max_wordpieces=2000);
local trainer = (import 'parts/finetune.libsonnet')(
  num_epochs=30,
  warmup={ warmup_epochs: 0.5 },
  base_lr=1e-3,
  encoder_lr=2e-4,
  label_lr=5e-3,
  frozen_epochs=1
);
local all = (import 'parts/decoders.libsonnet')();
local decoders = { feats: all.feats, lemma: all.lemma };
(import 'parts/udify.libsonnet')(encoder, batches, trainer, decoders)
+ (import 'parts/characters.libsonnet')()
+ (import 'parts/lexicon.libsonnet')(['lemma'])
+ {
  // The data has no trees.
  dataset_reader+: { check_trees: false },
  model+: { dropout: 0.2, scores: { type: 'udify_sigmorphon' } },
  trainer+: {
    validation_metric: ['+LemmaAcc', '+MsdF1'],
    patience: 5,
    cpu_bfloat16: true,
  },
  evaluation: { type: 'udify_sigmorphon' },
}
