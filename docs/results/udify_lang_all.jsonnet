// UDify+Lang-all for docs/results.md: one treebank, from all weights of UD_MODEL.
(import 'udify_small_cpu.jsonnet')
  + (import '../../training_config/parts/from_archive.libsonnet')(std.extVar('UD_MODEL'), weights='all')
