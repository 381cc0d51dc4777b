// Added to a config, its model is a student: it learns from a trained model, the teacher, whose
// encoder, with fewer layers, and labels it has.
function(teacher, layers, hard_weight=0.5, hidden_weight=1) {
  vocabulary: { type: 'udify_from_archive', archive: teacher, extend: false },
  model+: {
    type: 'udify_student',
    teacher: teacher,
    hard_weight: hard_weight,
    hidden_weight: hidden_weight,
    embedder+: { layers: layers },
  },
}
