// T_abs of Ji et al. (2023): absolute positions,
// vectors that attention over sinusoids makes from the typology (ATTN, Equation 4).
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN='ud/*/*-ud-train.conllu' \
//   UD_DEV='ud/*/*-ud-dev.conllu' \
//   allennlp train training_config/typology/absolute_attn.jsonnet -s out/absolute_attn
(import '../parts/typology.libsonnet')(
  std.extVar('UD_ENCODER'), 'attn', positions='absolute'
)
