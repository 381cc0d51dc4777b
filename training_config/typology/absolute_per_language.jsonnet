// T_abs of Ji et al. (2023), absolute positions:
// separate vectors per training language (MPR).
(import '../parts/typology.libsonnet')(std.extVar('UD_ENCODER'), 'per_language', 'absolute')
