// T_rel of Ji et al. (2023), relative positions:
// vectors generated from the typology by a network per position (MLP, Equation 3).
(import '../parts/typology.libsonnet')(std.extVar('UD_ENCODER'), 'mlp', 'relative')
