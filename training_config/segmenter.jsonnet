// Words, sentences and multiword tokens of raw text: one model for all treebanks, minutes on a CPU.
//   UD_TRAIN='ud/*/*-train.conllu*' UD_DEV='ud/*/*-dev.conllu*' \
//   allennlp train training_config/segmenter.jsonnet --include-package udify_allennlp -s out/segmenter
// Then pass --tokenizer out/segmenter/model.tar.gz to any command that parses raw text.
(import 'parts/segmenter.libsonnet')(
  std.split(std.extVar('UD_TRAIN'), ','), std.split(std.extVar('UD_DEV'), ',')
)
