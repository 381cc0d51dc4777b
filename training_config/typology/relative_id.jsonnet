// T_rel of Ji et al. (2023), relative positions:
// shared vectors, plus one vector per training language (ID).
(import '../parts/typology.libsonnet')(std.extVar('UD_ENCODER'), 'id', 'relative')
