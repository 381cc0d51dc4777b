// Curves of a run for TensorBoard. Add it to a whole config: (import 'udify.jsonnet') + (import
// 'parts/tensorboard.libsonnet')()
// every: number of updates between two points. `tensorboard --logdir RUN/log` shows them.
function(every=100) {
  trainer+: {
    callbacks+: [
      { type: 'udify_tensorboard', summary_interval: every, should_log_learning_rate: true },
    ],
  },
}
