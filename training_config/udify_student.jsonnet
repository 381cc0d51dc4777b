// A student with a third of the layers of a trained model, its teacher: UD_TEACHER is the teacher's
// archive or run folder, UD_ENCODER the encoder that it was trained with. UD_TRAIN is any
// treebanks, and CoNLL-U that the teacher parsed from raw text:
//   allennlp predict $UD_TEACHER 'wiki.*.txt' --output-file silver/wiki-ud-train.conllu
local encoder = (import 'parts/encoder.libsonnet')(
  std.extVar('UD_ENCODER'), dropout=0.1, mask_probability=0.1
);
local batches = (import 'parts/batches.libsonnet')(max_wordpieces=2000);
local trainer = (import 'parts/finetune.libsonnet')(
  num_epochs=8,
  warmup={ warmup_epochs: 0.2 },
  base_lr=1e-3,
  encoder_lr=2e-4,
  label_lr=5e-3,
  frozen_epochs=0
);
local decoders = (import 'parts/decoders.libsonnet')(arc_dim=384, deprel_dim=128);
(import 'parts/udify.libsonnet')(encoder, batches, trainer, decoders)
  + (import 'parts/characters.libsonnet')()
  + (import 'parts/student.libsonnet')(std.extVar('UD_TEACHER'), layers=4)
  // The teacher's distributions also regularize, so less dropout is needed.
  + { model+: { dropout: 0.1, layer_dropout: 0.0 }, trainer+: { cpu_bfloat16: true } }
