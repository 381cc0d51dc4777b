// Characters for some tasks (thesis, conclusion: future work). Add it to a whole config:
// (import 'parts/udify.libsonnet')(...) + (import 'parts/characters.libsonnet')()
function(tasks=['feats', 'lemma'], dim=64, widths=[3, 5], filters=128) {
  dataset_reader+: { characters: true },
  model+: {
    characters: { tasks: tasks, dim: dim, widths: widths, filters: filters, dropout: 0.33 },
  },
}
