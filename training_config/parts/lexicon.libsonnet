// Known forms get one of their labels from the training data, in tasks with one label per word. Add
// it to a whole config of one language: (import 'parts/udify.libsonnet')(...) + (import
// 'parts/lexicon.libsonnet')()
function(tasks=['upos', 'lemma']) { dataset_reader+: { lexicon: tasks } }
