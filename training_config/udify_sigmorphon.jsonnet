// SIGMORPHON 2019, task 2: lemmas and UniMorph descriptions (in the FEATS column), with characters
// as in Kondratyuk's own system (2019). For the data see
// https://sigmorphon.github.io/sharedtasks/2019/task2:
//   UD_TRAIN='task2/*/*-um-train.conllu' UD_DEV='task2/*/*-um-dev.conllu'
local encoder = (import 'parts/encoder.libsonnet')(std.extVar('UD_ENCODER'));
local batches = (import 'parts/batches.libsonnet')();
local trainer = (import 'parts/finetune.libsonnet')();
local all = (import 'parts/decoders.libsonnet')();
local decoders = { feats: all.feats, lemma: all.lemma };
(import 'parts/udify.libsonnet')(encoder, batches, trainer, decoders)
+ (import 'parts/characters.libsonnet')()
+ {
  // The data has no trees.
  dataset_reader+: { check_trees: false },
  model+: { scores: { type: 'udify_sigmorphon' } },
  trainer+: { validation_metric: ['+LemmaAcc', '+MsdF1'] },
  evaluation: { type: 'udify_sigmorphon' },
}
