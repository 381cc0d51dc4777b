// An epoch is epoch_size windows, drawn from treebanks by their size to the power of 1 / temperature.
// standards: the reference treebanks of languages whose treebanks disagree on words, such as { ja:
// ['ja_gsd'] }.
function(
  train, dev, num_epochs=3, epoch_size=24000, batch_size=16, hidden_dim=64, lr=3e-3, standards=null
) {
  dataset_reader: { type: 'udify_segmenter' },
  train_data_path: train,
  validation_data_path: dev,
  // Tokens that only the development data splits count as unknown.
  datasets_for_vocab_creation: ['train'],
  // Repeated forms in training are remembered; single ones may be errors.
  vocabulary: { min_count: { multiword_rule_labels: 2, multiword_form_labels: 2 } },
  model: {
    type: 'udify_segmenter',
    hidden_dim: hidden_dim,
    [if standards != null then 'standards']: standards,
  },
  data_loader: {
    type: 'udify_segmenter',
    batch_size: batch_size,
    sampling: 'temperature',
    temperature: 2,
    epoch_size: epoch_size,
  },
  validation_data_loader: { type: 'udify_segmenter', shuffle: false },
  evaluation: { type: 'udify_segmentation' },
  trainer: {
    type: 'udify',
    num_epochs: num_epochs,
    grad_norm: 1.0,
    validation_metric: ['+Words', '+Sentences'],
    optimizer: { type: 'udify_adamw', lr: lr, betas: [0.9, 0.98], weight_decay: 0.01 },
    learning_rate_scheduler: { type: 'linear_with_warmup', warmup_steps: 300 },
    checkpointer: { type: 'udify', keep_most_recent_by_count: 1, save_every_num_batches: 250 },
    run_confidence_checks: false,
  },
}
