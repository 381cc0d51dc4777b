// udify.jsonnet with features of the characters of a word for its feats and its lemma.
(import 'udify.jsonnet') + (import 'parts/characters.libsonnet')()
