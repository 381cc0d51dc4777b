// Two learning rates that rise for a hundredth of the steps and then fall to nothing (Mohammadshahi
// 2023, Tables 2.10 and 3.7; BertAdam's linear schedule is the released code's). Tables of relations
// and decoders have the base rate; pieces, UPOS, segments and layers of the encoder the other one.
// Our choice: AdamW corrects its averages for their start, which BertAdam does not.
function(num_epochs=200, base_lr=2e-3, encoder_lr=1e-5, warmup=0.01, patience=100, eps=1e-5) {
  type: 'udify',
  num_epochs: num_epochs,
  patience: patience,
  use_amp: true,
  amp_dtype: 'float16',
  grad_norm: 1.0,
  validation_metric: '+LAS',
  optimizer: {
    type: 'udify_adamw',
    lr: base_lr,
    betas: [0.9, 0.999],
    eps: eps,
    weight_decay: 0.01,
    parameter_groups: [
      [['embedder\\.(transformer|root_piece|upos|labels)|segments'], { lr: encoder_lr }],
    ],
  },
  learning_rate_scheduler: { type: 'slanted_triangular', cut_frac: warmup, ratio: 1000 },
  checkpointer: { type: 'udify', keep_most_recent_by_count: 1 },
  run_confidence_checks: false,
}
