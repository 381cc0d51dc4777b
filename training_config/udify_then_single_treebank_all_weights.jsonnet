// udify_then_single_treebank.jsonnet, starting from all weights of the model trained on all
// treebanks, including its decoders, whose labels are kept and extended. The thesis takes only the
// encoder's weights.
(import 'udify_single_treebank_thesis.jsonnet')
  + (import 'parts/from_archive.libsonnet')(std.extVar('UD_MODEL'), weights='all')
