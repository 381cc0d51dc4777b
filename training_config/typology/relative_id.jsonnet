// T_rel of Ji et al. (2023): relative positions,
// shared vectors and one of each language of training (ID).
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN='ud/*/*-ud-train.conllu' \
//   UD_DEV='ud/*/*-ud-dev.conllu' \
//   allennlp train training_config/typology/relative_id.jsonnet -s out/relative_id
(import '../parts/typology.libsonnet')(
  std.extVar('UD_ENCODER'), 'id', positions='relative'
)
