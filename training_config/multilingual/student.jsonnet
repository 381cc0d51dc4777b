// The model that ships: a third of its teacher's layers, taught by it on the same treebanks. UD_TEACHER
// and UD_ENCODER are the teacher's archive. Its rates fall to 0 at the end, so that few epochs do.
(import '../udify_student.jsonnet') + {
  data_loader+: { sampling: 'temperature', temperature: 2 },
  // At 128 the scores of relations would take as long as two layers.
  model+: { decoders+: { deps+: { deprel_dim: 64 } } },
  trainer+: {
    num_epochs: 4,
    learning_rate_scheduler: { type: 'linear_with_warmup', warmup_steps: 700 },
  },
}
