// T_rel of Ji et al. (2023), relative positions:
// shared vectors, plus one generated from the language's typology (Feat).
(import '../parts/typology.libsonnet')(std.extVar('UD_ENCODER'), 'feat', 'relative')
