// Added to a config, training starts from a trained model of the same encoder instead of anew.
// weights: 'encoder', as in the thesis (captions of Tables 4.1 and 4.2: "using BERT weights"), has
// new decoders, for the labels of the new data; 'all' goes on with the decoders as well, whose
// widths must be those of that model, and its labels are kept and extended. A segmenter of the archive
// is in the new one, too.
function(archive, weights='encoder') {
  [if weights == 'all' then 'vocabulary']: { type: 'udify_from_archive', archive: archive },
  include_in_archive+: ['segmenter'],
  model+: { type: 'udify_from_archive', archive: archive, weights: weights },
}
