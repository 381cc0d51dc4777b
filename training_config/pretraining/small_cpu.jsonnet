// UD pretraining that starts from a small encoder (such as 12 layers of 384), for a CPU: 400
// updates per phase. The paper starts from random weights.
//   UD_ENCODER=nreimers/mMiniLMv2-L12-H384-distilled-from-XLMR-Large UD_TEXTS=en.txt,de.txt \
//   UD_TRAIN=en_ewt-ud-train.conllu,de_gsd-ud-train.conllu \
//   UD_DEV=en_ewt-ud-dev.conllu,de_gsd-ud-dev.conllu \
//   UD_HELD_OUT='*-ud-dev.conllu,*-ud-test.conllu' \
//   allennlp train training_config/pretraining/small_cpu.jsonnet -s out/ud_small
(import '../parts/pretraining.libsonnet')(
  std.extVar('UD_ENCODER'),
  warm=true,
  first_updates=400,
  epochs=8,
  updates_per_epoch=100,
  batch_size=16,
  max_wordpieces=800,
  max_pieces=128,
  lr=2e-4,
  warmup_epochs=0.5,
  amp=false,
  cpu_bfloat16=true
)
