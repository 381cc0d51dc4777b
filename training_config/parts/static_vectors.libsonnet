// Frozen vectors of whole words, and gold UPOS beside them, through a stacked LSTM (Ahmad et al. 2019,
// Table 7: RNN). vectors is a file in word2vec's text format or an .npz.
function(vectors, hidden_dim=300, num_layers=3, dropout=0.33, upos_dim=50) {
  reader:: {
    type: 'udify_universal_dependencies',
    forms: true,
    [if upos_dim > 0 then 'inputs']: ['upos'],
  },
  embedder:: {
    type: 'udify_static_vectors',
    vectors: vectors,
    hidden_dim: hidden_dim,
    num_layers: num_layers,
    dropout: dropout,
    upos_dim: upos_dim,
  },
}
