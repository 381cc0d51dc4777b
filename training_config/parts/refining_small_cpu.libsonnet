// SynTr and RNGTr on a CPU with a small encoder (12 layers of 384, say): few epochs, higher rates.
function(type, num_epochs=20)
  (import 'bert_adam.libsonnet')(
    num_epochs=num_epochs, base_lr=1e-3, encoder_lr=2e-4, warmup=0.1, patience=null
  ) + { type: type, use_amp:: false, cpu_bfloat16: true }
