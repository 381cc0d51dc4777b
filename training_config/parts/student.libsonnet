// Added to a config, its model is a student: it learns from a trained model, the teacher, whose
// encoder, with fewer layers, and labels it has. taught_by names the layer of the teacher that each
// of them is at first; they are evenly spread if it is left out. start is an older student whose
// weights it has at first instead.
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
