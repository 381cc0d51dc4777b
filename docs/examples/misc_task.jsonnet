// The quickstart's model with one task more: which words have no space after them.
local key = { misc_key: 'SpaceAfter' };
(import '../../training_config/quickstart.jsonnet') + {
  dataset_reader+: { type: 'misc_reader' } + key,
  model+: {
    decoders+: { misc: { type: 'misc_decoder' } + key },
    scores: { type: 'misc_scores' } + key,
  },
  trainer+: { validation_metric: ['+LAS', '+SpaceAfter'] },
}
