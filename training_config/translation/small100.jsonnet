// SMaLL-100 (Mohammadshahi 2023, chapter 6; Tables 6.2 and 6.8). UD_ENCODER is M2M-100 418M, which
// provides the student's initial encoder and first 3 decoder layers; UD_TEACHER is a larger
// M2M-100:
//   export UD_ENCODER=facebook/m2m100_418M UD_TEACHER=facebook/m2m100_1.2B
//   export UD_TRAIN='text/*/train.*' UD_DEV='text/*/dev.*'
(import '../parts/translation.libsonnet')(std.extVar('UD_ENCODER'))
  + (import '../parts/taught_translation.libsonnet')(std.extVar('UD_TEACHER'))
  + { model+: { encoder_layers: 12, decoder_layers: 3 } }
