// tiny.jsonnet with one task more: which words have no space after them.
local misc = { type: 'misc', key: 'SpaceAfter' };
(import '../../training_config/tiny.jsonnet') + {
  dataset_reader+: { tasks+: [misc] },
  model+: { decoders+: { misc: { type: 'udify_tag_decoder', task: misc } } },
  trainer+: { validation_metric: ['+LAS', '+SpaceAfter'] },
}
