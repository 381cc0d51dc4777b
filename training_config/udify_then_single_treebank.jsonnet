// "UDify+Lang" of the thesis (section 4.2): one treebank, starting from the model of all treebanks,
// whose labels are kept and extended. UD_MODEL is the archive or run folder that udify.jsonnet left.
(import 'udify_single_treebank.jsonnet')
  + (import 'parts/from_archive.libsonnet')(std.extVar('UD_MODEL'))
