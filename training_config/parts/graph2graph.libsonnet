// SynTr and RNGTr, SentTr and SentTr+G2GTr (Mohammadshahi 2023, chapters 3 and 2): the last layer of the
// encoder, UPOS at its input, trees alone; see training_config/graph2graph.
// model_name is a folder or a hub name.
function(model_name, dropout=null, arc_dim=500, deprel_dim=100) {
  local encoded(relations) = {
    embedder: {
      type: 'udify_graph_encoder',
      model_name: model_name,
      relations: relations,
      upos: true,
      [if dropout != null then 'dropout']: dropout,
    },
    layer_attention: 'last',
    dropout: 0.0,
  },
  local parser(relations) = encoded(relations) {
    decoders: {
      deps: {
        type: 'udify_dependency_decoder',
        arc_dim: arc_dim,
        deprel_dim: deprel_dim,
        dropout: 0.33,
        activation: 'leaky_relu',
        // Released code; the thesis does not say.
        biases: ['dependent'],
      },
    },
  },
  local reader = {
    type: 'udify_universal_dependencies',
    model_name: model_name,
    tasks: ['deps'],
    word_of: true,
    root_piece: true,
  },
  // SynTr alone, with gold UPOS.
  syntr:: {
    dataset_reader: reader { inputs: ['upos'] },
    model: parser(relations=false) { type: 'udify_multitask' },
    include_in_archive: ['encoder', 'card.json'],
  },
  // SentTr, of the lowest `layers` of the encoder; with `graph`, SentTr+G2GTr.
  senttr(graph, layers):: {
    dataset_reader: reader { inputs: ['upos'] },
    model: encoded(relations=graph) {
      type: if graph then 'udify_graph_transitions' else 'udify_multitask',
      embedder+: { layers: layers } + if !graph then {} else {
        labelled: false,
        label_embeddings: true,
        policy: 'one_label',
        layer_norm: false,
      },
      decoders: { deps: { type: 'udify_transition_decoder' } },
    },
    include_in_archive: ['encoder', 'card.json'],
  },
  // RNGTr behind a SynTr that learns beside it, or behind no parser at all; with gold UPOS.
  rngtr(initial, iterations):: {
    dataset_reader: reader { inputs: ['upos'] },
    model: parser(relations=true) {
      type: 'udify_refinement',
      initial: if initial == 'empty' then { type: 'empty' } else {
        type: 'syntr',
        parser: parser(relations=false) { type: 'udify_multitask' },
      },
      iterations: iterations,
    },
    include_in_archive: ['encoder', 'card.json'],
  },
  // RNGTr behind a parser's archive, which is kept in its own. Training reads that parser's trees
  // and UPOS from the files in `folder`; afterwards they are its own.
  rngtr_of(archive, folder, iterations):: {
    dataset_reader: reader { inputs: [{ type: 'predicted_deps', folder: folder }] },
    validation_dataset_reader: reader,
    model: parser(relations=true) {
      type: 'udify_refinement',
      initial: { type: 'archive', archive: archive, upos: true },
      iterations: iterations,
    },
    include_in_archive: ['encoder', 'initial', 'card.json'],
  },
}
