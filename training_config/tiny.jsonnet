// A tiny untrained encoder on a sample of one treebank: a demonstration of training, in a minute on
// two cores.
local encoder = (import 'parts/encoder.libsonnet')(
  std.extVar('UD_ENCODER'), dropout=0.0, mask_probability=0.05
);
local batches = (import 'parts/batches.libsonnet')(batch_size=8);
local trainer = (import 'parts/finetune.libsonnet')(
  num_epochs=12, warmup={ warmup_epochs: 1 }, base_lr=3e-3, encoder_lr=1e-3
);
local decoders = (import 'parts/decoders.libsonnet')(arc_dim=64, deprel_dim=32);
(import 'parts/udify.libsonnet')(encoder, batches, trainer, decoders)
  + { model+: { dropout: 0.1 } }
