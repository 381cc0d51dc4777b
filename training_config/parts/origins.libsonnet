// Add it to a config to give the model the language and the treebank of each sentence, from the
// file names. For a known language, labels and lexicon are restricted to those of the language.
// enter: at 'words' or at the 'start'; see OriginVectors. lr is their learning rate.
function(enter='words', lr=null) {
  dataset_reader+: { langs: true, treebanks: true, own_labels: true },
  model+: { origins: { enter: enter } },
  [if lr != null then 'trainer']+: {
    optimizer+: { parameter_groups+: [[['^origins\\.'], { lr: lr }]] },
  },
}
