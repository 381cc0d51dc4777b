// UDify on a large modern GPU: bfloat16, and batches limited only by wordpieces, to fill the card.
// Batches are about twenty times the thesis's 32 sentences; the encoder's rate grows with the
// square root of that factor. The scores of these settings have not been compared with the
// thesis's.
local encoder = (import 'parts/encoder.libsonnet')(std.extVar('UD_ENCODER'));
local batches = (import 'parts/batches.libsonnet')(batch_size=4096, max_wordpieces=32768);
local trainer = (import 'parts/finetune.libsonnet')(warmup={ warmup_epochs: 1 }, encoder_lr=2e-4);
(import 'parts/udify.libsonnet')(encoder, batches, trainer { amp_dtype: 'bfloat16' })
