// udify_then_single_treebank.jsonnet, starting from all weights of the model of all treebanks, its
// decoders too, whose labels are kept and extended. The thesis takes the encoder's alone.
(import 'udify_single_treebank_thesis.jsonnet')
  + (import 'parts/from_archive.libsonnet')(std.extVar('UD_MODEL'), weights='all')
