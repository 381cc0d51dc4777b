// T_abs of Ji et al. (2023), absolute positions:
// vectors that all languages share (UPR).
(import '../parts/typology.libsonnet')(std.extVar('UD_ENCODER'), 'universal', 'absolute')
