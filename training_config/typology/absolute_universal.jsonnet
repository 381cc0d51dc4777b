// T_abs of Ji et al. (2023), absolute positions:
// vectors shared by all languages (UPR).
(import '../parts/typology.libsonnet')(std.extVar('UD_ENCODER'), 'universal', 'absolute')
