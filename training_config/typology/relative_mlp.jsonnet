// T_rel of Ji et al. (2023), relative positions:
// vectors made from the typology by a network for each position (MLP, Equation 3).
(import '../parts/typology.libsonnet')(std.extVar('UD_ENCODER'), 'mlp', 'relative')
