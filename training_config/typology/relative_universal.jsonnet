// T_rel of Ji et al. (2023), relative positions:
// vectors shared by all languages (UPR).
(import '../parts/typology.libsonnet')(std.extVar('UD_ENCODER'), 'universal', 'relative')
