// The segmenter of the second edition, trained further on all its treebanks (benchmarks/edition.py).
(import '../segmenter_from_multilingual.jsonnet')
+ { data_loader+: { epoch_size: 24000 }, trainer+: { num_epochs: 8 } }
