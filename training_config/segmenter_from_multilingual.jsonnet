// Words and sentences of your treebank, starting from the segmenter of the shipped model: a minute
// on a CPU. Its treebanks and rules are kept and extended by yours.
//   allennlp train segmenter_from_multilingual -s out/segmenter
//   allennlp ud-bundle out/mine out/segmenter --out mine.tar.gz
local archive = 'multilingual';
local from_archive = { type: 'udify_segmenter_from_archive', archive: archive };
(import 'parts/segmenter.libsonnet')(
  std.split(std.extVar('UD_TRAIN'), ','),
  std.split(std.extVar('UD_DEV'), ','),
  num_epochs=5,
  epoch_size=1600,
  hidden_dim=96,
  lr=1e-3,
  standards={ ja: ['ja_gsd', 'ja_pud'] }
) + {
  vocabulary+: from_archive,
  model+: from_archive { buckets: [4096, 16384, 32768, 65536, 131072, 32768, 32768] },
}
