// StateTr without BERT (Mohammadshahi 2023, Table 2.1): the encoder's word vectors below randomly
// initialized layers, with the base rate.
//   UD_ENCODER=bert-base-multilingual-cased UD_TRAIN=... UD_DEV=... \
//   allennlp train training_config/graph2graph/statetr_no_bert.jsonnet -s out/statetr_no_bert
(import '../parts/graph2graph.libsonnet')(std.extVar('UD_ENCODER')).statetr(graph=false, bert=false)
+ (import '../parts/treebanks.libsonnet')
// From the released code; the thesis does not state it.
+ (import '../parts/batches.libsonnet')(batch_size=40)
+ { trainer: (import '../parts/bert_adam.libsonnet')(
  num_epochs=20, base_lr=1e-4, encoder_lr=1e-4, patience=null, eps=1e-6
) }
