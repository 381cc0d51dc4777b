// T_abs of Ji et al. (2023): absolute positions,
// vectors that all languages share (UPR).
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN='ud/*/*-ud-train.conllu' \
//   UD_DEV='ud/*/*-ud-dev.conllu' \
//   allennlp train training_config/typology/absolute_universal.jsonnet -s out/absolute_universal
(import '../parts/typology.libsonnet')(
  std.extVar('UD_ENCODER'), 'universal', positions='absolute'
)
