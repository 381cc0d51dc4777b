// SynG2G-Tr (Mohammadshahi 2023, chapter 4): semantic roles, with syntax in the attention of the
// encoder through its queries and keys; see training_config/graph2graph. model_name is a folder or
// a hub name. style is 'span', 'dependency' or 'both'; given shows whether predicates are given;
// syntax is 'empty', 'file' (the trees of the files) or an archive with a folder of its predictions
// for the training files. query, key and value are the terms of Table 4.6. bert=false puts the
// encoder's word vectors below randomly initialized layers (Tables 4.1 and 4.2). tagger: UPOS are
// learned with the roles, from a layer of 250 (Table 4.4; as in Zhou et al. 2020); requires
// upos=false, since UPOS in the encoder's input need not be learned.
function(
  model_name, style='span', given=false, syntax='file', folder=null, query=true, key=true, value=false,
  dropout=null, sizes={}, upos=true, bert=true, tagger=false
)
  local is_archive = if syntax == 'empty' || syntax == 'file' then false
  else if folder == null then error 'roles.libsonnet: syntax is the archive ' + syntax
                                    + '. Give folder, with what it predicts for the training files.'
  else true;
assert !(tagger && upos) : 'roles.libsonnet: with tagger, set upos=false: the encoder would be shown what is learned.';
{
  local looks = syntax != 'empty' && (query || key || value),
  local trees = { type: 'predicted_deps' }
                + (if folder == null then {} else { folder: folder, deprels: true }),
  local inputs = (if given then ['predicates'] else []),
  local reader = {
    type: 'udify_universal_dependencies',
    model_name: model_name,
    tasks: ['roles'] + if tagger then ['upos'] else [],
    word_of: true,
    root_piece: true,
    check_trees: false,
  },
  dataset_reader: reader { inputs: inputs + if looks || is_archive then [trees] else if upos then ['upos'] else [] },
  [if is_archive then 'validation_dataset_reader']: reader { inputs: inputs },
  model: {
    type: 'udify_with_graph',
    // An archive tags the words, even if its trees are not used.
    initial: if is_archive then {
      type: 'archive',
      archive: syntax,
      upos: upos,
    } else if !looks then { type: 'empty' } else { type: 'file', upos: upos },
    embedder: {
      type: 'udify_graph_encoder',
      model_name: model_name,
      policy: 'all_pairs',
      relations: looks,
      upos: upos,
      layer_norm: false,
      use_query: query,
      use_key: key,
      use_value: value,
      [if !bert then 'random_layers']: true,
      [if dropout != null then 'dropout']: dropout,
    },
    layer_attention: 'last',
    dropout: 0.0,
    // 0.6 of the possible spans. The original code takes a share of the squared length, which
    // prunes nothing; a share of the words, as section 4.5 states, would exclude 4% of the
    // arguments of a treebank.
    decoders: {
      roles: { type: 'udify_role_decoder', style: style, given: given, span_share_of: 'spans' } + sizes,
      [if tagger then 'upos']: { type: 'udify_tag_decoder', task: 'upos', hidden_dim: 250 },
    },
    scores: { type: 'udify_roles' },
  },
  evaluation+: { type: 'udify_roles' },
  include_in_archive: ['encoder', 'card.json'] + if is_archive then ['initial'] else [],
}
