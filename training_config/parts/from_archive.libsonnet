// Add it to a config to start training from a trained model with the same encoder.
// weights: 'encoder', as in the thesis (captions of Tables 4.1 and 4.2: "using BERT weights"), has
// new decoders, for the labels of the new data; 'all' also continues with the decoders, whose
// widths must match, and keeps and extends their labels, except those of the tasks own_labels, which
// are those of the new data and its languages. A segmenter in the archive is copied to the new one.
function(archive, weights='encoder', own_labels=[]) {
  local own = { [if own_labels != [] then 'own_labels']: own_labels },
  [if weights == 'all' then 'vocabulary']: { type: 'udify_from_archive', archive: archive } + own,
  include_in_archive+: ['segmenter'],
  model+: { type: 'udify_from_archive', archive: archive, weights: weights } + own,
}
