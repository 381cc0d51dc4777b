// selfatt_absolute_graph.jsonnet for minutes on a CPU, beside small_cpu.jsonnet.
(import '../parts/order_transfer_small_cpu.libsonnet')(encoder='absolute')
