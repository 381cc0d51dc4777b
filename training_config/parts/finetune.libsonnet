// Two learning rates, gradual unfreezing, warm-up and inverse square-root decay (thesis, sections
// 3.4.2 and 3.5). warmup is { warmup_steps: n } or { warmup_epochs: x }, each with a peak: the
// thesis does not state the maximum of the rates; ours is the values given here, that of the
// released code 0.029 of them (udify_released_schedule.jsonnet). label_lr is the rate of the feats,
// lemma and XPOS
// decoders: with few steps, their many labels need a higher rate than other parameters. cooldown is
// the final share of the epochs in which the rates fall to 0.
function(
  num_epochs=80,
  warmup={ warmup_steps: 8000 },
  base_lr=1e-3,
  encoder_lr=5e-5,
  label_lr=base_lr,
  frozen_epochs=1,
  cooldown=0
) {
  type: 'udify',
  num_epochs: num_epochs,
  // On a CPU the same config trains in float32, with a message.
  use_amp: true,
  amp_dtype: 'float16',
  grad_norm: 5.0,
  // Our choice: the best epoch by labelled attachment. The thesis does not state one; the released
  // code keeps the best sum, which is ['+UPOS', '+UFeats', '+Lemmas', '+UAS', '+LAS'] here.
  validation_metric: '+LAS',
  optimizer: {
    type: 'udify_adamw',
    lr: base_lr,
    betas: [0.9, 0.99],
    weight_decay: 0.01,
    parameter_groups: [[['^embedder\\.'], { lr: encoder_lr }]] + (
      if label_lr == base_lr then []
      else [[['^decoders\\.(feats|lemma|xpos)\\.'], { lr: label_lr }]]
    ),
  },
  learning_rate_scheduler: {
    type: 'udify_inverse_sqrt',
    frozen_epochs: frozen_epochs,
    [if cooldown > 0 then 'cooldown']: cooldown,
  } + warmup,
  callbacks: [{ type: 'udify_unfreeze', frozen_epochs: frozen_epochs }],
  checkpointer: { type: 'udify', keep_most_recent_by_count: 1 },
  run_confidence_checks: false,
}
