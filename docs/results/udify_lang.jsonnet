// UDify+Lang of the thesis for docs/results.md: one treebank, from the encoder of UD_MODEL.
(import 'udify_small_cpu.jsonnet')
  + (import '../../training_config/parts/from_archive.libsonnet')(std.extVar('UD_MODEL'))
