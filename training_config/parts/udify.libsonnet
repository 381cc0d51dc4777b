// UDify without its encoder and its schedule.
function(encoder, batches, trainer, decoders=(import 'decoders.libsonnet')()) batches {
  // Columns that no decoder predicts are not read.
  dataset_reader: encoder.reader { tasks: std.objectFields(decoders) },
  // Paths come from the environment: files or globs, separated by commas.
  train_data_path: std.split(std.extVar('UD_TRAIN'), ','),
  // With UD_DEV= no epoch is scored, and the weights of the last one are kept.
  [if std.extVar('UD_DEV') != '' then 'validation_data_path']: std.split(std.extVar('UD_DEV'), ','),
  // Labels that occur only in the development data count as wrong and are not learned.
  datasets_for_vocab_creation: ['train'],
  model: {
    type: 'udify_multitask',
    embedder: encoder.embedder,
    layer_attention: 'task',
    layer_dropout: 0.1,
    dropout: 0.5,
    decoders: decoders,
  },
  trainer: trainer,
  evaluation: { type: 'udify' },
  // The archive includes the tokenizer, the encoder's config, and the list of training data.
  include_in_archive: ['encoder', 'card.json'],
}
