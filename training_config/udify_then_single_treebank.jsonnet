// "UDify+Lang" of the thesis (section 4.2): one treebank, starting from the encoder of the model
// trained on all treebanks. UD_MODEL is the archive or run folder of udify.jsonnet.
(import 'udify_single_treebank_thesis.jsonnet')
  + (import 'parts/from_archive.libsonnet')(std.extVar('UD_MODEL'))
