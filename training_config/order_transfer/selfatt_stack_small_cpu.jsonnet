// selfatt_stack.jsonnet for minutes on a CPU, beside small_cpu.jsonnet.
(import '../parts/order_transfer_small_cpu.libsonnet')(decoder='stack')
