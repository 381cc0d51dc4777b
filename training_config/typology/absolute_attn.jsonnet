// T_abs of Ji et al. (2023), absolute positions:
// vectors generated from the typology by attention over sinusoids (ATTN, Equation 4).
(import '../parts/typology.libsonnet')(std.extVar('UD_ENCODER'), 'attn', 'absolute')
