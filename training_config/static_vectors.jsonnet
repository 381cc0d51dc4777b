// Trees from frozen vectors of words and gold UPOS, without a pretrained encoder: minutes on a CPU.
//   UD_VECTORS=en.vec UD_TRAIN=... UD_DEV=... allennlp train static_vectors -s out/static
// Batches are measured in words. Files to parse must contain UPOS, gold or predicted.
local encoder = (import 'parts/static_vectors.libsonnet')(std.extVar('UD_VECTORS'));
local batches = (import 'parts/batches.libsonnet')(max_wordpieces=2000);
local trainer = (import 'parts/finetune.libsonnet')(
  num_epochs=20, warmup={ warmup_epochs: 1 }, base_lr=2e-3, encoder_lr=2e-3, frozen_epochs=0
);
local decoders = { deps: (import 'parts/decoders.libsonnet')(arc_dim=512, deprel_dim=128).deps };
(import 'parts/udify.libsonnet')(encoder, batches, trainer, decoders)
+ {
  // There is one layer: no layer attention and no freezing.
  model+: { layer_attention: 'sum', layer_dropout: 0.0, dropout: 0.33 },
  trainer+: { callbacks: [], cpu_bfloat16: false, use_amp: false },
}
