// Add it to a config to make its model a student: it learns from a trained model, the teacher, and
// has the teacher's labels and its encoder with fewer layers. taught_by lists the teacher's layers
// that initialize the student's layers (default: evenly spaced). start is an older student to
// initialize the weights from instead.
function(teacher, layers, hard_weight=0.5, hidden_weight=1, taught_by=null, start=null) {
  vocabulary: { type: 'udify_from_archive', archive: teacher, extend: false },
  include_in_archive+: ['segmenter'],
  model+: {
    type: 'udify_student',
    teacher: teacher,
    hard_weight: hard_weight,
    hidden_weight: hidden_weight,
    [if taught_by != null then 'taught_by']: taught_by,
    [if start != null then 'start']: start,
    embedder+: { layers: layers },
  },
}
