// UD-BERT and UD-XLM-R base of Sun et al. (2021): the size and the pieces of UD_ENCODER, from random
// weights; 600,000 updates in each phase. UD_TEXTS are raw texts with one sentence a line; the paper
// takes Wikipedia in 104 languages (UD-BERT) or CommonCrawl (UD-XLM-R), and adds the sentences of the
// treebanks, as this does.
//   UD_ENCODER=bert-base-multilingual-cased UD_TEXTS='wiki/*.txt.gz' \
//   UD_TRAIN='ud/*-train.conllu' UD_DEV='ud/*-dev.conllu' UD_HELD_OUT='ud/*-dev.conllu,ud/*-test.conllu' \
//   allennlp train training_config/pretraining/ud_bert.jsonnet -s out/ud_bert
(import '../parts/pretraining.libsonnet')(std.extVar('UD_ENCODER'))
