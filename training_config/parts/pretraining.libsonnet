// Masked texts and universal dependencies together, in two phases (Sun et al. 2021, Algorithm 1).
// warm=false starts from random weights, as the paper does; warm=true from those of model_name,
// including its masked language model head. texts are corpora of udify_texts by name: by default
// UD_TEXTS and the sentences of UD_TRAIN, sampled per file with smoothing. The sentences of
// held_out are excluded from both, and from the treebanks. In the second phase, updates learn from
// treebanks with probability usl_rate. use_integration and use_usl_loss are the two ablations of
// Table 7; with neither, this is a plain masked language model. The best epoch is one of the second
// phase: by the LAS of UD_DEV, or by its masked_loss if no trees are learned. The paper states no
// learning rate, no warm-up, no weights of the languages (those of multilingual BERT here), no
// label set and no strategy: those here are our choice, universal relations among them (40 labels
// for each pair of wordpieces take less memory than 200).
local paths(name) = std.split(std.extVar(name), ',');
function(
  model_name,
  texts={
    [name]: { paths: paths(name) }
    for name in ['UD_TEXTS', 'UD_TRAIN']
    if std.extVar(name) != ''
  },
  smoothing=0.7,
  held_out=std.extVar('UD_HELD_OUT'),
  warm=false,
  first_updates=600000,
  epochs=120,
  updates_per_epoch=10000,
  usl_rate=0.8,
  batch_size=6,
  max_wordpieces=6 * 384,
  max_pieces=384,
  head_dim=128,
  dependent_dim=64,
  shared=true,
  strategy='chain',
  reading='intended',
  tied=true,
  whole_words=false,
  use_integration=true,
  use_usl_loss=true,
  lr=1e-4,
  warmup_epochs=1,
  amp=true,
  cpu_bfloat16=false
) {
  local bounds = { type: 'udify', batch_size: batch_size, max_wordpieces: max_wordpieces },
  local rates(rate) = { rates: { treebanks: if use_usl_loss then rate else 0 } },
  dataset_reader: {
    type: 'udify_universal_dependencies',
    model_name: model_name,
    tasks: [{ type: 'deps', universal: true }],
    max_pieces: max_pieces,
    word_of: true,
    piece_nodes: true,
  },
  model: {
    type: 'udify_pretraining',
    embedder: {
      type: 'udify_encoder',
      model_name: model_name,
      load_weights: warm,
      dropout: 0.1,
      mask_probability: 0.0,
      root: 'special',
      integration: false,
    },
    decoders: {
      deps: {
        type: 'udify_structure_decoder',
        head_dim: head_dim,
        dependent_dim: dependent_dim,
        shared: shared,
        strategy: strategy,
      },
    },
    masking: { rate: 0.15, masked: 0.8, replaced: 0.1, whole_words: whole_words },
    tied: tied,
    [if warm then 'masked_head_from']: model_name,
    reading: reading,
    use_integration: use_integration,
    use_usl_loss: use_usl_loss,
  },
  data_loader: {
    type: 'udify_paired',
    [if held_out != '' then 'held_out']: { paths: std.split(held_out, ',') },
    treebanks: bounds,
    texts: {
      type: 'udify_texts',
      corpora: texts,
      smoothing: smoothing,
      batches_per_epoch: updates_per_epoch,
      batch_size: batch_size,
      max_wordpieces: max_wordpieces,
    },
  },
  validation_data_loader: { type: 'udify', batch_size: 32, max_wordpieces: 3200, shuffle: false },
  trainer: {
    type: 'udify_phased',
    phases: [{ updates: first_updates } + rates(1), rates(usl_rate)],
    num_epochs: epochs,
    // On a CPU the same config trains in float32, with a message.
    use_amp: amp,
    amp_dtype: 'float16',
    [if cpu_bfloat16 then 'cpu_bfloat16']: true,
    grad_norm: 1.0,
    validation_metric: if use_usl_loss then '+LAS' else '-masked_loss',
    optimizer: {
      type: 'udify_adamw',
      lr: lr,
      betas: [0.9, 0.98],
      eps: 1e-6,
      weight_decay: 0.01,
    },
    learning_rate_scheduler: { type: 'udify_warmup', warmup_epochs: warmup_epochs },
    checkpointer: { type: 'udify', keep_most_recent_by_count: 1 },
    run_confidence_checks: false,
  },
  include_in_archive: ['encoder', 'card.json'],
}
+ (import 'treebanks.libsonnet')
