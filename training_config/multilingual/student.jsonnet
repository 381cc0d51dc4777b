// The shipped model: the lowest ten of the teacher's twelve layers, taught by the teacher on the
// same treebanks. UD_TEACHER and UD_ENCODER are its archive. Without its two highest layers and
// further training, a teacher lost 1.6 points in lemmas, 0.8 in feats and none in trees; without
// two others, 4 in trees. UD_STUDENT is empty, or an older student to continue from.
local student = std.extVar('UD_STUDENT');
local older = if student == '' then null else student;
local encoder = (import '../parts/encoder.libsonnet')(
  std.extVar('UD_ENCODER'), dropout=0.1, mask_probability=0.1
);
local batches = (import '../parts/batches.libsonnet')(
  max_wordpieces=2000, sampling={ sampling: 'temperature', temperature: 2, epoch_size: 80000 }
);
local trainer = (import '../parts/finetune.libsonnet')(
  num_epochs=1, base_lr=5e-4, encoder_lr=1e-4, label_lr=2.5e-3, frozen_epochs=0
);
local decoders = (import '../parts/decoders.libsonnet')(arc_dim=384, deprel_dim=128);
(import '../parts/udify.libsonnet')(encoder, batches, trainer, decoders)
  + (import '../parts/characters.libsonnet')(lr=2.5e-3)
  + (import '../parts/student.libsonnet')(
    std.extVar('UD_TEACHER'), layers=10, hidden_weight=0, taught_by=std.range(1, 10), start=older
  )
  + {
    model+: { dropout: 0.2 },
    trainer+: {
      cpu_bfloat16: true,
      stored_precision: 'int4',
      learning_rate_scheduler: { type: 'linear_with_warmup', warmup_steps: 200 },
    },
  }
