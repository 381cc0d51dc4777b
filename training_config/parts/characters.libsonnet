// Characters for some tasks (thesis, conclusion: future work). Add it to a whole config:
// (import 'parts/udify.libsonnet')(...) + (import 'parts/characters.libsonnet')()
// lr is their learning rate; use label_lr's value if there are few steps.
function(tasks=['feats', 'lemma'], dim=64, widths=[3, 5], filters=128, lr=null) {
  dataset_reader+: { characters: true },
  model+: {
    characters: { tasks: tasks, dim: dim, widths: widths, filters: filters, dropout: 0.33 },
  },
  [if lr != null then 'trainer']+: {
    optimizer+: { parameter_groups+: [[['^characters\\.'], { lr: lr }]] },
  },
}
