// Phrase structure from bracketed files (Kitaev and Klein 2018) instead of the tasks of UDify, to be given
// to udify.libsonnet: their decoders, and below, what goes behind it. Words are tagged by a second decoder;
// with tags=false predicted trees have the tags that the file has, if it has any.
{
  decoders(hidden_dim=250, tags=true):: {
    constituents: { type: 'udify_constituency_decoder', hidden_dim: hidden_dim },
    [if tags then 'xpos']: { type: 'udify_tag_decoder', task: 'xpos', label_smoothing: 0.03 },
  },
  scored:: {
    dataset_reader+: { check_trees: false },
    model+: { scores: { type: 'udify_constituents' } },
    trainer+: { validation_metric: '+LF1' },
    evaluation: { type: 'udify_constituents' },
  },
}
