// T_rel of Ji et al. (2023): relative positions,
// vectors that all languages share (UPR).
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN='ud/*/*-ud-train.conllu' \
//   UD_DEV='ud/*/*-ud-dev.conllu' \
//   allennlp train training_config/typology/relative_universal.jsonnet -s out/relative_universal
(import '../parts/typology.libsonnet')(
  std.extVar('UD_ENCODER'), 'universal', positions='relative'
)
