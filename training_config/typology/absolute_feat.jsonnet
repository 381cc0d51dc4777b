// T_abs of Ji et al. (2023), absolute positions:
// shared vectors, plus one generated from the language's typology (Feat).
(import '../parts/typology.libsonnet')(std.extVar('UD_ENCODER'), 'feat', 'absolute')
