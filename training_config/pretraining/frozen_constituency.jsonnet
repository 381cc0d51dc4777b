// Phrase structure from a frozen encoder and vectors of words and characters (Sun et al. 2021, Tables
// 5 and 6). The paper does not describe its constituency parser; ours is that of chart.jsonnet above
// the LSTMs of frozen_monolingual.jsonnet.
//   UD_ENCODER=out/ud_small/model.tar.gz UD_TRAIN=train.mrg UD_DEV=dev.mrg \
//   allennlp train training_config/pretraining/frozen_constituency.jsonnet -s out/frozen
local constituency = import '../parts/constituency.libsonnet';
(import '../parts/frozen_vectors.libsonnet')(
  std.extVar('UD_ENCODER'), upos_dim=0, decoders=constituency.decoders()
) + constituency.scored
