// Phrase structure: spans scored by differences of the encoder's vectors, and the best tree (Kitaev
// and Klein 2018; with a fine-tuned pretrained encoder: Kitaev, Cao and Klein 2019). The schedule
// is UDify's. Files are bracketed (.mrg) or CoNLL-U with trees in MISC:
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN=train.mrg UD_DEV=dev.mrg \
//   allennlp train training_config/constituency/chart.jsonnet -s out/constituency
local constituency = import '../parts/constituency.libsonnet';
local encoder = (import '../parts/encoder.libsonnet')(std.extVar('UD_ENCODER'));
local batches = (import '../parts/batches.libsonnet')();
local trainer = (import '../parts/finetune.libsonnet')();
(import '../parts/udify.libsonnet')(encoder, batches, trainer, constituency.decoders())
+ constituency.scored
