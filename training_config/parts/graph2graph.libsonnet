// SynTr and RNGTr, SentTr and StateTr (Mohammadshahi 2023, chapters 3 and 2): the last layer of the
// encoder, UPOS in its input, and trees as the only task besides `decoders`; see
// training_config/graph2graph. model_name is a folder or a hub name.
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
        // The thesis, "similarly to Dozat and Manning (2016)", and the released code alike: its
        // bias_x is a 1 beside the dependent, [d; 1]^T U h, so that the bias is that of heads.
        biases: ['head'],
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
  // Relations of chapter 2: which word is whose head, and the label at the dependent.
  local partial = {
    labelled: false,
    label_embeddings: true,
    policy: 'one_label',
    layer_norm: false,
  },
  // SentTr, of the lowest `layers` of the encoder; with `graph`, SentTr+G2GTr.
  senttr(graph, layers):: {
    dataset_reader: reader { inputs: ['upos'] },
    model: encoded(relations=graph) {
      type: if graph then 'udify_graph_transitions' else 'udify_multitask',
      embedder+: { layers: layers } + if graph then partial else {},
      decoders: { deps: { type: 'udify_transition_decoder' } },
    },
    include_in_archive: ['encoder', 'card.json'],
  },
  // The StateTr family, of six layers: with `graph`, +G2GTr; without `graph_output`, StateCLSTr and
  // +G2CLSTr. `bert=false` puts the word vectors of the encoder below randomly initialized layers.
  // `skip` false is the second row of Table 2.4, `separate_positions` that of Table 2.5.
  statetr(
    graph, graph_output=true, composition=!graph, bert=true, skip=true, separate_positions=false
  ):: {
    dataset_reader: reader { inputs: ['upos'] },
    model: encoded(relations=graph) {
      type: 'udify_state_transitions',
      // Our choice: NONE adds nothing; the thesis does not specify it. In the released code its
      // row, apparently meant to be 0, keeps its random initialization and is not trained.
      embedder+: { layers: 6, [if !bert then 'random_layers']: true }
                 + if graph then partial { none_row_zero: true } else {},
      deleted: graph,
      composition: composition,
      [if !skip then 'composition_skip']: false,
      [if separate_positions then 'separate_positions']: true,
      decoders: {
        deps: {
          type: 'udify_transition_decoder',
          directed_labels: true,
          history: true,
          [if !graph_output then 'graph_output']: false,
        },
      },
    },
    include_in_archive: ['encoder', 'card.json'],
  },
  // RNGTr after a SynTr that is trained with it, or without an initial parser; with gold UPOS.
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
  // RNGTr after a parser, whose archive is kept in its own. Training reads that parser's trees and
  // UPOS from the files in `folder`; prediction runs the parser. With `all_tasks` it also predicts
  // UPOS, feats and lemmas again, each from its own mixture of layers, as UDify does.
  rngtr_of(archive, folder, iterations, all_tasks=false):: {
    local decoders = (import 'decoders.libsonnet')(),
    local others = if all_tasks then ['upos', 'feats', 'lemma'] else [],
    local columns = reader { tasks: others + ['deps'] },
    dataset_reader: columns { inputs: [{ type: 'predicted_deps', folder: folder }] },
    validation_dataset_reader: columns,
    model: parser(relations=true) {
      type: 'udify_refinement',
      initial: { type: 'archive', archive: archive, upos: true },
      iterations: iterations,
      decoders+: { [task]: decoders[task] for task in others },
    } + if all_tasks then { layer_attention: 'task', layer_dropout: 0.1 } else {},
    include_in_archive: ['encoder', 'initial', 'card.json'],
  },
}
