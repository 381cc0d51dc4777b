// UDify of one treebank of any size, on a GPU: udify_single_treebank_thesis.jsonnet adapted to
// small treebanks. Adds characters, plain softmaxes and a higher rate for feats and lemmas, a
// lexicon of UPOS and lemmas, and at least 600 updates if 80 epochs have fewer.
local encoder = (import 'parts/encoder.libsonnet')(std.extVar('UD_ENCODER'));
local batches = (import 'parts/batches.libsonnet')();
local label_lr = 5e-3;
local trainer = (import 'parts/finetune.libsonnet')(warmup={ warmup_epochs: 1 }, label_lr=label_lr);
local decoders = (import 'parts/decoders.libsonnet')(min_labels=5000);
(import 'parts/udify.libsonnet')(encoder, batches, trainer, decoders)
  + (import 'parts/characters.libsonnet')(lr=label_lr)
  + (import 'parts/lexicon.libsonnet')()
  + { trainer+: { least_steps: 600 } }
