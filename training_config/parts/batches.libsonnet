// Bucketed batches of 32 sentences, fuzzed by 10% (thesis, section 3.5), capped in wordpieces.
function(batch_size=32, max_wordpieces=3200) {
  local bounds = { type: 'udify', batch_size: batch_size, max_wordpieces: max_wordpieces },
  data_loader: bounds { noise: 0.1 },
  validation_data_loader: bounds { shuffle: false },
}
