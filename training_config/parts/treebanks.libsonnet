// Paths from the environment: files or globs, separated by commas. Added to what names a reader, a
// model and a trainer, it is a whole config.
{
  train_data_path: std.split(std.extVar('UD_TRAIN'), ','),
  // With UD_DEV= no epoch is scored, and the last one's weights are kept.
  [if std.extVar('UD_DEV') != '' then 'validation_data_path']: std.split(std.extVar('UD_DEV'), ','),
  // A label that only the development data has is scored as wrong, never learned.
  datasets_for_vocab_creation: ['train'],
  evaluation: { type: 'udify' },
}
