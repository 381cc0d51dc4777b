// udify.jsonnet with XPOS. To predict the tags of one treebank regardless of the file name:
//   allennlp predict ... --overrides '{"model.decoders.xpos.treebank": "en_ewt"}'
(import 'udify.jsonnet') + (import 'parts/treebank_xpos.libsonnet')()
