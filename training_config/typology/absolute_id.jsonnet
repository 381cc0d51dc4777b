// T_abs of Ji et al. (2023), absolute positions:
// shared vectors and one for each language of training (ID).
(import '../parts/typology.libsonnet')(std.extVar('UD_ENCODER'), 'id', 'absolute')
