// XPOS with a learned vector for each treebank (thesis, conclusion: future work). Add it to a whole
// config: (import 'parts/udify.libsonnet')(...) + (import 'parts/treebank_xpos.libsonnet')()
// own_tags: predict only tags that the treebank has.
function(own_tags=true, unknown_probability=0.1) {
  dataset_reader+: { tasks+: ['xpos'], treebanks: true },
  model+: {
    decoders+: {
      xpos: {
        type: 'udify_treebank_tag_decoder',
        adaptive: true,
        label_smoothing: 0.03,
        own_tags: own_tags,
        unknown_probability: unknown_probability,
      },
    },
  },
}
