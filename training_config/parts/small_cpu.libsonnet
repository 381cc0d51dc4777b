// A config of training_config/graph2graph for an afternoon on a CPU with a small encoder (such as
// 12 layers of 384): narrower decoders, less dropout, smaller batches, few epochs and higher rates.
// config is the whole config; its trainer's type and metric are kept.
function(config, num_epochs=20)
  local widths = {
    udify_dependency_decoder: { arc_dim: 384, deprel_dim: 128 },
    udify_role_decoder: { span_dim: 256, label_dim: 128 },
  };
  local narrow(name, decoder) = decoder
                                + if name == 'deps' || name == 'roles' then std.get(widths, decoder.type, {}) else {};
  local small(model) = model {
    embedder+: { dropout: 0.1 },
    decoders: std.mapWithKey(narrow, model.decoders),
  };
  local initial = std.get(config.model, 'initial', {});
  config
  + (import 'batches.libsonnet')(max_wordpieces=2000)
  + {
    model: small(config.model)
           // SynTr, trained together with the model that refines its trees.
           + if std.objectHas(initial, 'parser') then { initial+: { parser: small(initial.parser) } } else {},
    trainer: (import 'bert_adam.libsonnet')(
      num_epochs=num_epochs, base_lr=1e-3, encoder_lr=2e-4, warmup=0.1, patience=null
    ) + {
      type: config.trainer.type,
      validation_metric: config.trainer.validation_metric,
      use_amp:: false,
      cpu_bfloat16: true,
    },
  }
