// T_abs of Ji et al. (2023): absolute positions,
// vectors of each language of training by itself (MPR).
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN='ud/*/*-ud-train.conllu' \
//   UD_DEV='ud/*/*-ud-dev.conllu' \
//   allennlp train training_config/typology/absolute_per_language.jsonnet -s out/absolute_per_language
(import '../parts/typology.libsonnet')(
  std.extVar('UD_ENCODER'), 'per_language', positions='absolute'
)
