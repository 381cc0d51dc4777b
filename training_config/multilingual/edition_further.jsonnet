// edition.jsonnet for an hour on a CPU, from a model of the same kind (benchmarks/edition.py
// --further): it learns treebanks and letters that are new. In proportion to the size of batches the
// learning rates are about those of edition_gpu.jsonnet; with higher ones old treebanks lost more.
(import 'edition.jsonnet') + (import '../parts/rates.libsonnet')(0.3) + {
  data_loader+: { epoch_size: 40000 },
  trainer+: { num_epochs: 3, learning_rate_scheduler+: { warmup_epochs: 0.25 } },
}
