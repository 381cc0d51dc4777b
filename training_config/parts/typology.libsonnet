// Positions from the typology of each language (Ji et al. 2023, Table 5) over a frozen encoder, trained on
// several languages at once: UD_TRAIN names files of all of them, such as
// ar_padt-ud-train.conllu,eu_bdt-ud-train.conllu; the file name determines the language.
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN='ud/*/*-ud-train.conllu' UD_DEV='ud/*/*-ud-dev.conllu' \
//   allennlp train typology/relative_attn -s out/relative_attn
// training_config/typology has the twelve systems of Table 5; set other settings with -o.
// generator: 'universal', 'per_language', 'id', 'feat', 'mlp' or 'attn', or an object with its settings.
// positions: 'absolute' or 'relative'. features: 'wals6', 'wals19', 'uriel', 'random' or 'same'. num_heads times
// head_dim is the width of the encoder in Table 5. Every batch has one language; all languages are
// equally likely. Our choices where the paper is silent: feed-forward layers of 3072, the closest
// to the number of weights in its appendix B (four layers have 28.3 million here, 30.7 there: it
// seems to omit a map of 768 x 768 per layer); a gradient norm of at most 5; a rate that rises for
// an epoch and stays constant; as many batches per epoch as one pass over the data; label smoothing
// for deprels; no dropout or masking in the encoder below and in the generator; the epoch with the
// best LAS on UD_DEV. The output of the frozen encoder is cached in memory if it takes less than
// keep_below MB.
function(
  model_name,
  generator,
  positions='relative',
  features='uriel',
  num_layers=4,
  num_heads=12,
  head_dim=64,
  hidden_dim=3072,
  dropout=0.2,
  arc_dim=768,
  deprel_dim=256,
  batch_size=80,
  max_wordpieces=12000,
  lr=1e-3,
  num_epochs=80,
  below_layers='last',
  keep_below=4000
)
  local below = (import 'encoder.libsonnet')(model_name, dropout=null, mask_probability=0.0);
  local layers = (import 'position_attention.libsonnet')(
    positions='none',
    num_layers=num_layers,
    hidden_dim=hidden_dim,
    clip=4,
    num_heads=num_heads,
    head_dim=head_dim,
    dropout=dropout,
    attention_dropout=dropout,
    hidden_dropout=dropout
  );
  local encoder = {
    reader:: below.reader { langs: true },
    embedder:: {
      type: 'udify_typology_positions',
      below: below.embedder,
      layers: layers,
      generator: if std.isString(generator) then { type: generator } else generator,
      features: features,
      positions: positions,
      below_layers: below_layers,
      keep_below: keep_below,
    },
  };
  local batches = (import 'batches.libsonnet')(
    batch_size, max_wordpieces, { sampling: 'uniform', one_language: true }
  );
  local trainer = {
    type: 'udify',
    num_epochs: num_epochs,
    use_amp: true,
    amp_dtype: 'bfloat16',
    grad_norm: 5.0,
    validation_metric: '+LAS',
    optimizer: { type: 'udify_adamw', lr: lr, betas: [0.9, 0.98], weight_decay: 0.0 },
    learning_rate_scheduler: { type: 'udify_warmup', warmup_epochs: 1 },
    checkpointer: { type: 'udify', keep_most_recent_by_count: 1 },
    run_confidence_checks: false,
  };
  (import 'udify.libsonnet')(encoder, batches, trainer, {
    deps: {
      type: 'udify_dependency_decoder',
      arc_dim: arc_dim,
      deprel_dim: deprel_dim,
      label_smoothing: 0.03,
    },
  }) + {
    // Its output is one layer; dropout is that of the layers and of the decoder.
    model+: { layer_attention: 'sum', layer_dropout: 0.0, dropout: 0.0 },
  }
