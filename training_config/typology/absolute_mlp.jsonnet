// T_abs of Ji et al. (2023), absolute positions:
// vectors generated from the typology by a network per position (MLP, Equation 3).
(import '../parts/typology.libsonnet')(std.extVar('UD_ENCODER'), 'mlp', 'absolute')
