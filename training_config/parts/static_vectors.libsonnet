// Frozen vectors of whole words and gold UPOS (Ahmad et al. 2019, Table 7), contextualized by
// layers: parts/lstm.libsonnet or parts/position_attention.libsonnet. vectors is a file in
// word2vec's text format or an .npz, or a folder of such files named after languages; null for none
// (delexicalised).
// dropout: for whole words below the layers, and for single numbers of the layers' output. langs:
// the language of a sentence is that of its file.
function(vectors, layers=(import 'lstm.libsonnet')(), upos_dim=50, dropout=0.0, langs=false) {
  reader:: {
    type: 'udify_universal_dependencies',
    [if vectors != null then 'forms']: true,
    [if vectors != null && langs then 'langs']: true,
    [if upos_dim > 0 then 'inputs']: ['upos'],
  },
  embedder:: {
    type: 'udify_static_vectors',
    vectors: vectors,
    layers: layers,
    upos_dim: upos_dim,
    word_dropout: dropout,
    output_dropout: dropout,
  },
}
