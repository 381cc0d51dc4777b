// UDify of the thesis (Table 3.3): all treebanks, one multilingual BERT, 80 epochs.
//   UD_ENCODER=bert-base-multilingual-cased \
//   UD_TRAIN='ud/*/*-ud-train.conllu' UD_DEV='ud/*/*-ud-dev.conllu' \
//   allennlp train udify -s out/udify
local encoder = (import 'parts/encoder.libsonnet')(std.extVar('UD_ENCODER'));
local batches = (import 'parts/batches.libsonnet')();
local trainer = (import 'parts/finetune.libsonnet')();
(import 'parts/udify.libsonnet')(encoder, batches, trainer)
