// Add it to a config to multiply all its learning rates.
function(factor) {
  trainer+: {
    optimizer+: {
      lr: factor * super.lr,
      parameter_groups: [
        [group[0], group[1] { lr: factor * super.lr }]
        for group in super.parameter_groups
      ],
    },
  },
}
