// A translation model on one pair of languages (Mohammadshahi 2023, section 6.4.2 and Table 6.3).
// UD_ENCODER is the model: a folder or hub name of SMaLL-100, an archive or a run folder. For
// M2M-100 itself add -o '{"model.placement": "m2m100"}'.
(import '../parts/translation.libsonnet')(
  std.extVar('UD_ENCODER'),
  num_epochs=4,
  per_group=20000,
  warmup={ warmup_epochs: 0.5 }
)
