// T_rel of Ji et al. (2023): relative positions,
// shared vectors and one that is made from the language's typology (Feat).
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN='ud/*/*-ud-train.conllu' \
//   UD_DEV='ud/*/*-ud-dev.conllu' \
//   allennlp train training_config/typology/relative_feat.jsonnet -s out/relative_feat
(import '../parts/typology.libsonnet')(
  std.extVar('UD_ENCODER'), 'feat', positions='relative'
)
