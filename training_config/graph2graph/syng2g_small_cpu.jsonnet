// syng2g.jsonnet on a CPU with a small encoder (such as 12 layers of 384), and narrower layers.
(import '../parts/small_cpu.libsonnet')(import 'syng2g.jsonnet', num_epochs=5)
