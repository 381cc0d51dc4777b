// edition.jsonnet for an hour on a CPU, from a model of the same kind (benchmarks/edition.py
// --further): it learns treebanks and letters that are new, and keeps the model's predictions for
// the other treebanks.
local edition = import 'edition.jsonnet';
local favoured = std.objectFields(edition.data_loader.weights);
edition + (import '../parts/rates.libsonnet')(0.4) + {
  data_loader+: { epoch_size: 27000, weights: { [name]: 10 for name in favoured } },
  model+: {
    type: 'udify_keeping',
    weights:: 'all',  // hidden: this type takes all, and has no such setting
    relearned: favoured,
    keep_weight: 0.7,
    // The model's distributions also regularize, so less dropout is needed.
    dropout: 0.1,
    layer_dropout: 0.0,
  },
  trainer+: {
    num_epochs: 3,
    optimizer+: {
      // Most labels are known, and high rates would make the model forget them.
      parameter_groups: [
        if group[0] == ['^embedder\\.'] then group else [group[0], group[1] { lr: 0.5 * super.lr }]
        for group in super.parameter_groups
      ],
    },
    learning_rate_scheduler+: { warmup_epochs: 0.25, cooldown: 0.6 },
  },
}
