// rnn_stack.jsonnet with the sizes of small_cpu.jsonnet: minutes on a CPU.
(import '../parts/order_transfer_small_cpu.libsonnet')(encoder='lstm', decoder='stack')
