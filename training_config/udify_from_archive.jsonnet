// Your treebank, starting from all weights of UD_START, an archive that continues the shipped model or
// is like it: multilingual-nc, the result of udify_from_multilingual, or, for a script that the
// encoder lacks, that of ud-pack --letters.
(import 'parts/further.libsonnet')(std.extVar('UD_START'))
