// Trees of other languages from a frozen encoder and UPOS only, trained on English (Sun et al.
// 2021, Table 4).
//   UD_ENCODER=out/ud_small/model.tar.gz \
//   allennlp ud-experiment transfer 'ud/UD_*' --source en_ewt --out out/cross_lingual \
//     --system UD-BERT=training_config/pretraining/frozen_cross_lingual.jsonnet
(import '../parts/frozen_vectors.libsonnet')(
  std.extVar('UD_ENCODER'), form_dim=0, character_dim=0, universal=true
)
