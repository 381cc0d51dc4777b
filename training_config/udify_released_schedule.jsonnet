// udify.jsonnet with the learning rates of the code released with the thesis. After the frozen
// epoch, that code multiplies the rates by 5 * min(step^-0.5, step * W^-1.5), where W is its
// warm-up and the length of the frozen epoch of UD 2.3, 8,000 + 21,695: at most 5 / sqrt(W) =
// 0.029. The encoder's rate is 4e-5 there, 0.04 of the others', so 1.2e-6 at the peak. For data of
// another size, replace 21,695 by the number of batches per epoch. Only the schedule is that of the
// released code.
local encoder = (import 'parts/encoder.libsonnet')(std.extVar('UD_ENCODER'));
local batches = (import 'parts/batches.libsonnet')();
local warmup_steps = 8000 + 21695;
local trainer = (import 'parts/finetune.libsonnet')(
  warmup={ warmup_steps: warmup_steps, peak: 5 / std.sqrt(warmup_steps) }, encoder_lr=4e-5
);
(import 'parts/udify.libsonnet')(encoder, batches, trainer)
