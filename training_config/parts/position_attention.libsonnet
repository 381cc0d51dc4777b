// Self-attention (Ahmad et al. 2019, Table 7 and appendix C). positions: 'undirected', 'directed',
// 'absolute' or 'none' (Table 3). The number of heads, their width and the dropouts of attention
// and feed-forward layers are from the released code; the paper does not state them.
function(
  positions='undirected',
  num_layers=6,
  hidden_dim=512,
  clip=10,
  num_heads=8,
  head_dim=64,
  value_dim=head_dim,
  dropout=0.2,
  attention_dropout=0.2,
  hidden_dropout=0.1
) {
  type: 'udify_position_attention',
  positions: positions,
  num_layers: num_layers,
  num_heads: num_heads,
  head_dim: head_dim,
  value_dim: value_dim,
  hidden_dim: hidden_dim,
  clip: clip,
  dropout: dropout,
  attention_dropout: attention_dropout,
  hidden_dropout: hidden_dropout,
}
