// Paths from the environment: files or globs, separated by commas. Together with a reader, a model
// and a trainer, it is a whole config.
{
  train_data_path: std.split(std.extVar('UD_TRAIN'), ','),
  // With UD_DEV= no epoch is scored, and the weights of the last one are kept.
  [if std.extVar('UD_DEV') != '' then 'validation_data_path']: std.split(std.extVar('UD_DEV'), ','),
  // Labels that occur only in the development data count as wrong and are not learned.
  datasets_for_vocab_creation: ['train'],
  evaluation: { type: 'udify' },
}
