// Bucketed batches of 32 sentences, with 10% length noise (thesis, section 3.5), limited in
// wordpieces. sampling selects the sentences of an epoch: { sampling: 'proportional' } (every
// sentence once), { sampling: 'temperature', temperature: 5 } or { sampling: 'uniform' }, each with
// an epoch_size.
function(batch_size=32, max_wordpieces=3200, sampling={}) {
  local bounds = { type: 'udify', batch_size: batch_size, max_wordpieces: max_wordpieces },
  data_loader: bounds { noise: 0.1 } + sampling,
  validation_data_loader: bounds { shuffle: false },
}
