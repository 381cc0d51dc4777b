// Two learning rates that rise for 1% of the steps and then fall to 0 (Mohammadshahi 2023, Tables
// 2.10 and 3.7; BertAdam's linear schedule is from the released code). Relation tables and decoders
// have the base rate; the encoder's wordpieces, UPOS, segments and layers have the other one. Our
// choice: AdamW, as in the released code of chapter 3; BertAdam, which the tables and the code of
// chapter 2 name, has no bias correction. All weights decay, since the thesis names no exception;
// with decay_biases=false, biases and norms do not, as in that code.
function(
  num_epochs=200,
  base_lr=2e-3,
  encoder_lr=1e-5,
  warmup=0.01,
  patience=100,
  eps=1e-5,
  decay_biases=true
) {
  local encoder = 'embedder\\.(transformer|root_piece|upos|labels)|segments',
  local biases = '(bias|[Nn]orm\\.weight)$',
  // Parameter names that match both, or only one of them.
  local both = '^(?=.*(' + encoder + '))(?=.*' + biases + ')',
  local others_of_encoder = '^(?=.*(' + encoder + '))(?!.*' + biases + ')',
  local other_biases = '^(?!.*(' + encoder + '))(?=.*' + biases + ')',
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
    parameter_groups: if decay_biases then [
      [[encoder], { lr: encoder_lr }],
    ] else [
      [[both], { lr: encoder_lr, weight_decay: 0.0 }],
      [[others_of_encoder], { lr: encoder_lr }],
      [[other_biases], { weight_decay: 0.0 }],
    ],
  },
  learning_rate_scheduler: { type: 'slanted_triangular', cut_frac: warmup, ratio: 1000 },
  checkpointer: { type: 'udify', keep_most_recent_by_count: 1 },
  run_confidence_checks: false,
}
