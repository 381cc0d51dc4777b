// udify.jsonnet with the learning rates of the code that was released with the thesis. After the
// frozen epoch it multiplies them by 5 * min(step^-0.5, step * W^-1.5), where W is its warm-up and
// the length of the frozen epoch of UD 2.3, 8,000 + 21,695: at most 5 / sqrt(W) = 0.029. The
// encoder's rate is 0.04 of the others' there, 4e-5, so 1.2e-6 at the peak. For data of another
// size put the batches of an epoch in place of 21,695. Only the schedule is the released one.
local encoder = (import 'parts/encoder.libsonnet')(std.extVar('UD_ENCODER'));
local batches = (import 'parts/batches.libsonnet')();
local warmup_steps = 8000 + 21695;
local trainer = (import 'parts/finetune.libsonnet')(
  warmup={ warmup_steps: warmup_steps, peak: 5 / std.sqrt(warmup_steps) }, encoder_lr=4e-5
);
(import 'parts/udify.libsonnet')(encoder, batches, trainer)
