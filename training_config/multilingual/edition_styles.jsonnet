// The vectors of treebanks that are annotated unlike the others of their languages, for a finished
// model of edition.jsonnet (benchmarks/edition.py): what it predicts if such a treebank is named.
// Other weights stay as they are.
local edition = import 'edition.jsonnet';
local all = edition {
  train_data_path: std.split(std.extVar('UD_STYLES'), ','),
  data_loader+: { epoch_size: 10000 },
  vocabulary: {
    type: 'udify_from_archive',
    archive: std.extVar('UD_START'),
    extended: ['treebank_labels'],
  },
  model+: {
    dropout: 0.1,
    layer_dropout: 0.0,
    origins+: { unknown_lang: 0.0, unknown_treebank: 0.0 },
  },
  trainer+: {
    num_epochs: 1,
    no_grad: ['^(?!origins\\.treebanks)'],
    optimizer+: { lr: 0.02, weight_decay: 0.0, parameter_groups: [] },
    learning_rate_scheduler+: { warmup_epochs: 0.1, cooldown: 0.7 },
  },
};
all + { validation_data_path:: null }
