// A third of the layers, taught by a trained model of ours: UD_TEACHER is its archive, or its run's
// folder, UD_ENCODER the encoder that it was trained with. UD_TRAIN is any treebanks, and CoNLL-U
// that the teacher itself parsed from raw text:
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
  // What is dropped is in the teacher's lessons, too, so less has to be.
  + { model+: { dropout: 0.1, layer_dropout: 0.0 }, trainer+: { cpu_bfloat16: true } }
