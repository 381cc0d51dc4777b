// Characters for some tasks (thesis, conclusion: future work). Add it to a whole config:
// (import 'parts/udify.libsonnet')(...) + (import 'parts/characters.libsonnet')()
// lr is a rate of their own, as high as label_lr where steps are few.
function(tasks=['feats', 'lemma'], dim=64, widths=[3, 5], filters=128, lr=null) {
  dataset_reader+: { characters: true },
  model+: {
    characters: { tasks: tasks, dim: dim, widths: widths, filters: filters, dropout: 0.33 },
  },
  [if lr != null then 'trainer']+: {
    optimizer+: { parameter_groups+: [[['^characters\\.'], { lr: lr }]] },
  },
}
