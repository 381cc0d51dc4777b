// The long run of the second edition: edition.jsonnet on a GPU. 2.7 million sentences take 12 minutes
// on an H100. Batches are eight times as large, so the learning rates are twice as high.
local edition = import 'edition.jsonnet';
local bounds = { batch_size: 4096 };
edition + (import '../parts/rates.libsonnet')(2) + {
  data_loader+: bounds { max_wordpieces: 16000, epoch_size: 100000 },
  validation_data_loader+: bounds { max_wordpieces: 12000 },
  trainer+: {
    num_epochs: 27,
    amp_dtype: 'bfloat16',
    learning_rate_scheduler+: { warmup_epochs: 0.5 },
  },
}
