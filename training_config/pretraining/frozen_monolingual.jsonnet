// Trees of one language from a frozen encoder and vectors of words, characters and UPOS (Sun et al.
// 2021, Table 3). Files to parse must contain UPOS, gold or predicted.
//   UD_ENCODER=out/ud_small/model.tar.gz UD_TRAIN=en_ewt-ud-train.conllu UD_DEV=en_ewt-ud-dev.conllu \
//   allennlp train training_config/pretraining/frozen_monolingual.jsonnet -s out/frozen
(import '../parts/frozen_vectors.libsonnet')(std.extVar('UD_ENCODER'))
