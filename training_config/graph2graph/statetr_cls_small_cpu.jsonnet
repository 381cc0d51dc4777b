// statetr_cls.jsonnet for an afternoon on a CPU with a small encoder.
(import '../parts/small_cpu.libsonnet')(import 'statetr_cls.jsonnet')
