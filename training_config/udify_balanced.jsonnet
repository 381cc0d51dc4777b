// udify.jsonnet with small treebanks sampled more often: the share of a treebank of n sentences is
// proportional to n^(1/5). An epoch has as many sentences as the data.
local encoder = (import 'parts/encoder.libsonnet')(std.extVar('UD_ENCODER'));
local batches = (import 'parts/batches.libsonnet')(
  sampling={ sampling: 'temperature', temperature: 5 }
);
local trainer = (import 'parts/finetune.libsonnet')();
(import 'parts/udify.libsonnet')(encoder, batches, trainer)
