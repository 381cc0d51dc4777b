// tiny.jsonnet with an additional task: marking words without a space after them.
local misc = { type: 'misc', key: 'SpaceAfter' };
(import '../../training_config/tiny.jsonnet') + {
  dataset_reader+: { tasks+: [misc] },
  model+: { decoders+: { misc: { type: 'udify_tag_decoder', task: misc } } },
  trainer+: { validation_metric: ['+LAS', '+SpaceAfter'] },
}
