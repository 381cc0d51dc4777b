// Added to a config, training starts from the weights of a trained model instead of new ones. The
// encoder and the decoders' widths must be those of that model; its labels are kept and extended.
function(archive) {
  vocabulary: { type: 'udify_from_archive', archive: archive },
  model+: { type: 'udify_from_archive', archive: archive },
}
