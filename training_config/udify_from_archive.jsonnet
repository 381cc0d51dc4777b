// Your treebank, starting from all weights of UD_START, an archive like the shipped model:
// multilingual-nc, the result of udify_from_multilingual or, for letters that the encoder lacks,
// that of ud-pack --letters.
(import 'parts/further.libsonnet')(std.extVar('UD_START'))
