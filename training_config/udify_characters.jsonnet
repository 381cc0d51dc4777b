// udify.jsonnet with character features for feats and lemmas.
(import 'udify.jsonnet') + (import 'parts/characters.libsonnet')()
