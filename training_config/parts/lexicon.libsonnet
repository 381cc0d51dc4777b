// A word of the training data gets one of the labels that its form has there, in tasks with one label
// a word. Add it to a whole config of one language:
// (import 'parts/udify.libsonnet')(...) + (import 'parts/lexicon.libsonnet')()
function(tasks=['upos', 'lemma']) { dataset_reader+: { lexicon: tasks } }
