// Bidirectional LSTMs with the same dropout mask for all words of a sentence (Ahmad et al. 2019,
// Table 7: RNN; 300 per direction as in the released code).
function(hidden_dim=300, num_layers=3, dropout=0.33) {
  type: 'udify_lstm',
  hidden_dim: hidden_dim,
  num_layers: num_layers,
  dropout: dropout,
}
