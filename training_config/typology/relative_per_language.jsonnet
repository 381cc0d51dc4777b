// T_rel of Ji et al. (2023): relative positions,
// vectors of each language of training by itself (MPR).
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN='ud/*/*-ud-train.conllu' \
//   UD_DEV='ud/*/*-ud-dev.conllu' \
//   allennlp train training_config/typology/relative_per_language.jsonnet -s out/relative_per_language
(import '../parts/typology.libsonnet')(
  std.extVar('UD_ENCODER'), 'per_language', positions='relative'
)
