// Trees from the vectors of a frozen encoder, as in the comparison of representations by Sun et al.
// (2021, section 4.1): vectors of words, characters, UPOS and the projected topmost layer of the
// encoder are concatenated and contextualized. With integration=false, an encoder from UD
// pretraining omits its structure layer. form_dim or character_dim 0 omits the vectors of words or
// of characters.
// universal: first-level deprels, for parsing across languages. decoders replaces that of trees. The
// encoder's output is cached in memory if it takes less than keep_below MB. The paper gives no more
// details of its parser. Ours is that of Dozat and Manning (2017): three LSTMs of 400 per direction,
// arcs of 500 and deprels of 100, dropout 0.33, unknown-word vectors for words that occur once in
// training, a rate of 2e-3. Departures are the schedule, and no dropout inside the LSTMs.
function(
  model_name,
  form_dim=100,
  character_dim=100,
  upos_dim=100,
  below_dim=300,
  integration=true,
  universal=false,
  layers=(import 'lstm.libsonnet')(hidden_dim=400, num_layers=3, dropout=0.33),
  arc_dim=500,
  deprel_dim=100,
  dropout=0.33,
  lr=2e-3,
  num_epochs=30,
  keep_below=4000,
  decoders={
    deps: {
      type: 'udify_dependency_decoder',
      arc_dim: arc_dim,
      deprel_dim: deprel_dim,
      dropout: dropout,
    },
  }
)
  local below = (import 'encoder.libsonnet')(model_name, dropout=null, mask_probability=0.0);
  local inputs = (if form_dim > 0 then ['form'] else []) + (if upos_dim > 0 then ['upos'] else []);
  local encoder = {
    reader:: below.reader { inputs: inputs, [if character_dim > 0 then 'characters']: true },
    embedder:: {
      type: 'udify_frozen_vectors',
      below: below.embedder { integration: integration },
      layers: layers,
      below_dim: below_dim,
      form_dim: form_dim,
      character_dim: character_dim,
      upos_dim: upos_dim,
      word_dropout: dropout,
      output_dropout: dropout,
      keep_below: keep_below,
    },
  };
  local trainer = {
    type: 'udify',
    num_epochs: num_epochs,
    grad_norm: 5.0,
    validation_metric: '+LAS',
    optimizer: { type: 'udify_adamw', lr: lr, betas: [0.9, 0.9], weight_decay: 0.0 },
    learning_rate_scheduler: {
      type: 'udify_inverse_sqrt',
      frozen_epochs: 0,
      warmup_epochs: 1,
      cooldown: 0.2,
    },
    checkpointer: { type: 'udify', keep_most_recent_by_count: 1 },
    run_confidence_checks: false,
  };
  (import 'udify.libsonnet')(encoder, (import 'batches.libsonnet')(32, 3200), trainer, decoders) + {
    [if universal then 'dataset_reader']+: { tasks: [{ type: 'deps', universal: true }] },
    [if form_dim > 0 then 'vocabulary']: { min_count: { form_labels: 2 } },
    // Its output is one layer, with its own dropout.
    model+: { layer_attention: 'sum', layer_dropout: 0.0, dropout: 0.0 },
  }
