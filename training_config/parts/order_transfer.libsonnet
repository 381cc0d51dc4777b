// A parser trained on one language that parses others (Ahmad et al. 2019): word vectors aligned
// across languages, gold UPOS, first-level deprels (section 4.1). UD_VECTORS is a folder of files
// named after languages, such as fi.vec, or one file; vectors=null is the delexicalised parser.
// decoder: 'graph' or 'stack'. Table 7 gives the widths, one dropout and the rate of each encoder.
// The released code adds the decoders' other widths, dropout for whole words and for the encoder's
// output, Adam's betas and eps, clipping and the schedule: the rate rises for an epoch; if LAS
// without punctuation has not improved for 20 checks of 5 epochs, training continues from the best
// weights at 0.75 of the rate; patience doubles after 5 such decays, and the ninth ends training.
// We check each epoch.
// Departures: sentences of over 100 words are included in training, and a batch has at most 6,000
// words; words seen once keep their vectors, while the code drops half of them; in RNN-Stack it
// also drops UPOS. The best tree is chosen by arcs, and labels afterwards, while the code searches
// with both (best_tree: 'arcs+labels', though by sums of logs); the beam is also 5 for UD_DEV,
// while the code has 1.
function(
  layers,
  decoder='graph',
  dropout=0.2,
  lr=1e-4,
  batch_size=80,
  vectors=std.extVar('UD_VECTORS'),
  num_epochs=1000
)
  local encoder = (import 'static_vectors.libsonnet')(
    vectors, layers, dropout=dropout, langs=vectors != null
  );
  local batches = (import 'batches.libsonnet')(batch_size, max_wordpieces=6000);
  local graph = {
    type: 'udify_dependency_decoder',
    arc_dim: 512,
    deprel_dim: 128,
    biases: ['head', 'dependent', 'constant'],
    dropout: dropout,
  };
  local stack = {
    type: 'udify_stack_pointer_decoder',
    arc_dim: 512,
    deprel_dim: 128,
    lstm_dim: 256,
    hidden_dim: 300,
    beam_size: 5,
    dropout: dropout,
  };
  local trainer = {
    type: 'udify',
    num_epochs: num_epochs,
    grad_norm: 5.0,
    validation_metric: '+LAS_without_punct',
    optimizer: { type: 'udify_adamw', lr: lr, betas: [0.9, 0.9], eps: 1e-4, weight_decay: 0.0 },
    learning_rate_scheduler: { type: 'udify_warmup', warmup_epochs: 1 },
    callbacks: [{ type: 'udify_decay_from_best', patience: 100 }],
    checkpointer: { type: 'udify', keep_most_recent_by_count: 1 },
    run_confidence_checks: false,
  };
  (import 'udify.libsonnet')(
    encoder, batches, trainer, { deps: if decoder == 'stack' then stack else graph }
  ) + {
    dataset_reader+: { tasks: [{ type: 'deps', universal: true }] },
    // There is one layer: no layer attention; its dropout is the encoder's.
    model+: {
      layer_attention: 'sum',
      layer_dropout: 0.0,
      dropout: 0.0,
      scores: { type: 'udify_without_punct' },
    },
    evaluation: { type: 'udify_without_punct' },
  }
