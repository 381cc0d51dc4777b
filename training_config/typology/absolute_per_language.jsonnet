// T_abs of Ji et al. (2023), absolute positions:
// vectors for each language of training (MPR).
(import '../parts/typology.libsonnet')(std.extVar('UD_ENCODER'), 'per_language', 'absolute')
