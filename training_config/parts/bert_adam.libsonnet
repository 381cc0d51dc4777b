// Two learning rates that rise for a hundredth of the steps and then fall to nothing (Mohammadshahi
// 2023, Tables 2.10 and 3.7; BertAdam's linear schedule is the released code's). Tables of relations
// and decoders have the base rate; pieces, UPOS, segments and layers of the encoder the other one.
// Our choice: AdamW, as the released code of chapter 3 has; BertAdam, which the tables and the code
// of chapter 2 name, does not correct its averages for their start. Weights decay, all of them: the
// thesis names no exception. With decay_biases false, biases and norms do not, as in that code.
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
  // Names that match both, or one and not the other.
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
