// Translation between the languages of aligned text: UD_TRAIN and UD_DEV are files or globs, such
// as train.en and train.de in one folder. Without a start, a SentencePiece model of vocab_size
// wordpieces is trained on the training data.
function(
  start=null,
  vocab_size=8000,
  per_group=100000,  // pairs of each direction in an epoch (thesis, section 6.3)
  dev_per_group=200,
  batch_size=256,
  max_wordpieces=9000,  // the thesis: 1,000 per batch, gradients of 9 batches
  num_epochs=10,
  lr=1e-4,
  warmup={ warmup_steps: 40000 },
) {
  dataset_reader: {
    type: 'udify_translation',
    [if start != null then 'model_name']: start,
    [if start == null then 'vocab_size']: vocab_size,
  },
  train_data_path: std.split(std.extVar('UD_TRAIN'), ','),
  [if std.extVar('UD_DEV') != '' then 'validation_data_path']: std.split(std.extVar('UD_DEV'), ','),
  vocabulary: { type: 'empty' },
  model: {
    type: 'udify_translation',
    [if start != null then 'start']: start,
    label_smoothing: 0.1,
    scores: { pieces: 'own', off_target: false },
  },
  data_loader: {
    type: 'udify_translation',
    per_group: per_group,
    batch_size: batch_size,
    max_wordpieces: max_wordpieces,
  },
  validation_data_loader: {
    type: 'udify_translation',
    per_group: dev_per_group,
    batch_size: batch_size,
    max_wordpieces: max_wordpieces,
    shuffle: false,
  },
  trainer: {
    type: 'udify',
    num_epochs: num_epochs,
    use_amp: true,
    amp_dtype: 'float16',
    grad_norm: 1.0,
    validation_metric: if std.extVar('UD_DEV') != '' then '+chrF' else '-loss',
    optimizer: {
      type: 'udify_adamw',
      lr: lr,
      betas: [0.9, 0.98],
      eps: 1e-6,
      weight_decay: 0.0,
    },
    learning_rate_scheduler: { type: 'udify_inverse_sqrt', frozen_epochs: 0 } + warmup,
    checkpointer: { type: 'udify', keep_most_recent_by_count: 1 },
    run_confidence_checks: false,
  },
  include_in_archive: ['encoder', 'card.json'],
}
