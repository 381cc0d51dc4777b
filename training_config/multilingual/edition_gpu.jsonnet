// The run that made the shipped model: edition.jsonnet on a GPU. 2.7 million sentences, each of the
// 269,000 about ten times, take 12 minutes on an H100. Batches are eight times as large, so the
// learning rates are twice as high.
local edition = import 'edition.jsonnet';
local bounds = { batch_size: 4096 };
edition {
  data_loader+: bounds { max_wordpieces: 16000, epoch_size: 100000 },
  validation_data_loader+: bounds { max_wordpieces: 12000 },
  trainer+: {
    num_epochs: 27,
    amp_dtype: 'bfloat16',
    optimizer+: {
      lr: 2 * super.lr,
      parameter_groups: [
        [group[0], group[1] { lr: 2 * super.lr }]
        for group in super.parameter_groups
      ],
    },
    learning_rate_scheduler+: { warmup_epochs: 0.5 },
  },
}
