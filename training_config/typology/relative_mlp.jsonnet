// T_rel of Ji et al. (2023): relative positions,
// vectors that a network for each position makes from the typology (MLP, Equation 3).
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN='ud/*/*-ud-train.conllu' \
//   UD_DEV='ud/*/*-ud-dev.conllu' \
//   allennlp train training_config/typology/relative_mlp.jsonnet -s out/relative_mlp
(import '../parts/typology.libsonnet')(
  std.extVar('UD_ENCODER'), 'mlp', positions='relative'
)
