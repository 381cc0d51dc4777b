// T_rel of Ji et al. (2023), relative positions:
// vectors that all languages share (UPR).
(import '../parts/typology.libsonnet')(std.extVar('UD_ENCODER'), 'universal', 'relative')
