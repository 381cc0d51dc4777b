// rngtr.jsonnet for an afternoon on a CPU with a small encoder.
(import '../parts/small_cpu.libsonnet')(import 'rngtr.jsonnet')
