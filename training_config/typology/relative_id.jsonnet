// T_rel of Ji et al. (2023), relative positions:
// shared vectors and one for each language of training (ID).
(import '../parts/typology.libsonnet')(std.extVar('UD_ENCODER'), 'id', 'relative')
