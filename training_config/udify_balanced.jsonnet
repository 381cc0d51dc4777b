// udify.jsonnet where small treebanks come more often than their size says: a treebank of n
// sentences has a share that grows as n^(1/5). An epoch has as many sentences as the data.
local encoder = (import 'parts/encoder.libsonnet')(std.extVar('UD_ENCODER'));
local batches = (import 'parts/batches.libsonnet')(
  sampling={ sampling: 'temperature', temperature: 5 }
);
local trainer = (import 'parts/finetune.libsonnet')();
(import 'parts/udify.libsonnet')(encoder, batches, trainer)
