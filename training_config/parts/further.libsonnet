// Training that starts from all weights of an archive like the shipped model, with a treebank of
// yours: it has the features and lemma rules of the treebank and its language, in full width. UPOS
// and deprels are kept and extended.
function(archive)
  local encoder = (import 'encoder.libsonnet')(archive, dropout=0.1, mask_probability=0.1);
  local batches = (import 'batches.libsonnet')(max_wordpieces=2000);
  local label_lr = 5e-3;
  local trainer = (import 'finetune.libsonnet')(
    num_epochs=8,
    warmup={ warmup_epochs: 0.5 },
    base_lr=1e-3,
    encoder_lr=2e-4,
    label_lr=label_lr,
    frozen_epochs=0
  );
  local decoders = (import 'decoders.libsonnet')(arc_dim=384, deprel_dim=128, min_labels=5000);
  (import 'udify.libsonnet')(encoder, batches, trainer, decoders)
    + (import 'characters.libsonnet')(lr=label_lr)
    + (import 'origins.libsonnet')(lr=label_lr)
    + (import 'lexicon.libsonnet')()
    + (import 'from_archive.libsonnet')(archive, weights='all', own_labels=['feats', 'lemma'])
    + { model+: { dropout: 0.2 }, trainer+: { cpu_bfloat16: true, least_steps: 600 } }
