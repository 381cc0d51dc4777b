// Phrase structure from bracketed files (Kitaev and Klein 2018) instead of the tasks of UDify:
// decoders to pass to udify.libsonnet, and below, settings to add to the config. A second decoder
// tags words; with tags=false predicted trees have the tags of the file, if any.
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
