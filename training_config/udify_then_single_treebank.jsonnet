// "UDify+Lang" of the thesis (section 4.2): one treebank, starting from the encoder of the model of
// all treebanks. UD_MODEL is the archive or run folder that udify.jsonnet left.
(import 'udify_single_treebank_thesis.jsonnet')
  + (import 'parts/from_archive.libsonnet')(std.extVar('UD_MODEL'))
