// UPOS from the letters of each word only.
//   allennlp train docs/examples/letters_encoder.jsonnet --include-package docs.examples.letters_encoder -s out/letters
local encoder = {
  reader:: { type: 'udify_universal_dependencies', forms: true },
  embedder:: { type: 'letters', dim: 64 },
};
local batches = (import '../../training_config/parts/batches.libsonnet')();
local trainer = (import '../../training_config/parts/finetune.libsonnet')(
  num_epochs=10, warmup={ warmup_epochs: 1 }, base_lr=1e-2, encoder_lr=1e-2, frozen_epochs=0
);
local decoders = { upos: (import '../../training_config/parts/decoders.libsonnet')().upos };
(import '../../training_config/parts/udify.libsonnet')(encoder, batches, trainer, decoders) + {
  model+: { layer_attention: 'sum', dropout: 0.1 },
  trainer+: { callbacks: [], validation_metric: '+UPOS' },
  // Nothing of the encoder is in files of its own.
  include_in_archive: [],
}
