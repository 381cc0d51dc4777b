// Your treebank, starting from all weights of the shipped model: minutes on a CPU. Its UPOS and
// deprels are kept and extended by those of the treebank; features and lemma rules are those of the
// treebank and its language. Small treebanks get enough epochs for 600 updates; with
// -o '{"trainer.least_steps": 0}' training takes a minute and is slightly worse.
(import 'parts/further.libsonnet')('multilingual')
