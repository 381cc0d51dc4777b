// SIGMORPHON 2019, task 2: lemmas and UniMorph descriptions (in the FEATS column), with characters.
// Data: https://sigmorphon.github.io/sharedtasks/2019/task2:
//   UD_TRAIN='task2/*/*-um-train.conllu' UD_DEV='task2/*/*-um-dev.conllu'
//
// It is not Kondratyuk's own system (2019). Departures from its released config:
// - characters go through convolutions; there, through a bidirectional LSTM of two layers of 384;
// - decoders are a softmax on the mixed layers; there, each has residual bidirectional LSTMs of 768
//   before it, one layer for descriptions and two for lemmas;
// - a description is one label; there, each of 25 features is also predicted (factored features),
//   as an additional loss, and the whole description is written;
// - softmaxes are adaptive; there, they are not;
// - rates, dropout and epochs are those of Table 3.3; there, 2e-3 and 4e-5 for the encoder, up to
//   0.35 of that after warm-up, layer dropout 0.2, dropout and masking in the encoder 0.25, 50
//   epochs, stopped after 12 without progress.
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
