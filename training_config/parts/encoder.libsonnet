// The pretrained encoder, named once: the reader takes its tokenizer, the model its layers.
// model_name is a folder or a hub name (thesis: bert-base-multilingual-cased), or a trained model
// of this package, to start from its encoder. pooling: 'first', 'last', 'mean' or 'max' of a word's
// wordpieces (thesis, section 3.1).
function(model_name, dropout=0.2, mask_probability=0.2, pooling='first') {
  reader:: {
    type: 'udify_universal_dependencies',
    model_name: model_name,
    [if pooling != 'first' then 'piece_nodes']: true,
  },
  embedder:: {
    type: 'udify_encoder',
    model_name: model_name,
    dropout: dropout,
    mask_probability: mask_probability,
    [if pooling != 'first' then 'pooling']: pooling,
  },
}
