// UD-BERT and UD-XLM-R base of Sun et al. (2021): the size and wordpieces of UD_ENCODER, with
// random weights; 600,000 updates per phase. UD_TEXTS are raw texts with one sentence per line; the
// paper takes Wikipedia in 104 languages (UD-BERT) or CommonCrawl (UD-XLM-R), and adds the
// sentences of the treebanks, as here.
//   UD_ENCODER=bert-base-multilingual-cased UD_TEXTS='wiki/*.txt.gz' \
//   UD_TRAIN='ud/*-train.conllu' UD_DEV='ud/*-dev.conllu' UD_HELD_OUT='ud/*-dev.conllu,ud/*-test.conllu' \
//   allennlp train training_config/pretraining/ud_bert.jsonnet -s out/ud_bert
(import '../parts/pretraining.libsonnet')(std.extVar('UD_ENCODER'))
