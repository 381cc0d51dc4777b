// UDify of the thesis on two GPUs; list all available GPUs in cuda_devices. For two CPU
// processes: -o '{"distributed.cuda_devices": [-1, -1]}'.
(import 'udify.jsonnet') {
  distributed: {
    cuda_devices: [0, 1],
    // In the first epoch the encoder is frozen: its weights get no gradient.
    ddp_accelerator: { type: 'torch', find_unused_parameters: true },
  },
}
