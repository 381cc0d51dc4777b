// UD-XLM-R base of Sun et al. (2021): as UD-BERT, with the size and the pieces of XLM-R. The paper
// takes CommonCrawl.
//   UD_TRAIN='ud/*-train.conllu' UD_DEV='ud/*-dev.conllu' UD_TEXTS='crawl/*.txt.xz' \
//   allennlp train training_config/pretraining/ud_xlmr_base.jsonnet -s out/ud_xlmr_base
(import '../parts/pretraining.libsonnet')('xlm-roberta-base')
