// T_rel of Ji et al. (2023), relative positions:
// separate vectors per training language (MPR).
(import '../parts/typology.libsonnet')(std.extVar('UD_ENCODER'), 'per_language', 'relative')
