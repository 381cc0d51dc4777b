// Added to a config, the language and the treebank of each sentence are told to the model, as the names of
// the files say them, and where the language is known, labels and lexicon are those of the language.
// enter: at 'words' or at the 'start'; see OriginVectors. lr is a rate of their own.
function(enter='words', lr=null) {
  dataset_reader+: { langs: true, treebanks: true, own_labels: true },
  model+: { origins: { enter: enter } },
  [if lr != null then 'trainer']+: {
    optimizer+: { parameter_groups+: [[['^origins\\.'], { lr: lr }]] },
  },
}
