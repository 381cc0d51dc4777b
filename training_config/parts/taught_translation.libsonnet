// Add it to a translation config: after a number of updates on the gold text alone, the student
// also learns from a teacher (thesis, sections 6.2.2 and 6.3.3). top limits the teacher's
// distributions to its best wordpieces, unlike Eq 6.2; cache is a file for these.
function(teacher, alone_updates=150000, alpha=1.0, top=null, cache=null) {
  model+: {
    teacher: teacher,
    alpha: alpha,
    [if top != null then 'teacher_top']: top,
    [if cache != null then 'teacher_cache']: cache,
  },
  trainer+: { type: 'udify_phased', phases: [{ updates: alone_updates }, {}] },
}
