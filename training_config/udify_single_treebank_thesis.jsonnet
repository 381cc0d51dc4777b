// UDify of one treebank ("Lang" in the thesis). A treebank has a few hundred batches, not 21,695:
// the warm-up takes one epoch for any treebank.
local encoder = (import 'parts/encoder.libsonnet')(std.extVar('UD_ENCODER'));
local batches = (import 'parts/batches.libsonnet')();
local trainer = (import 'parts/finetune.libsonnet')(warmup={ warmup_epochs: 1 });
(import 'parts/udify.libsonnet')(encoder, batches, trainer)
