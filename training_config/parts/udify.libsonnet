// The whole of UDify but for its encoder and its schedule.
function(encoder, batches, trainer, decoders=(import 'decoders.libsonnet')()) batches {
  // What no decoder predicts is not read.
  dataset_reader: encoder.reader { tasks: std.objectFields(decoders) },
  // The environment gives paths: files or globs, separated by commas.
  train_data_path: std.split(std.extVar('UD_TRAIN'), ','),
  // With UD_DEV= no epoch is scored, and the last one's weights are kept.
  [if std.extVar('UD_DEV') != '' then 'validation_data_path']: std.split(std.extVar('UD_DEV'), ','),
  // A label that only the development data has is scored as wrong, never learned.
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
  // The tokenizer and the encoder's config travel with the model.
  include_in_archive: ['encoder'],
}
