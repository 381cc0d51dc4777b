// senttr_g2g.jsonnet for an afternoon on a CPU with a small encoder.
(import '../parts/small_cpu.libsonnet')(import 'senttr_g2g.jsonnet')
