// Added to a config of translation: after so many updates of the gold text alone, the student learns
// from a teacher, too (thesis, sections 6.2.2 and 6.3.3). top cuts the teacher's distributions to its
// best pieces, which Eq 6.2 does not; cache is a file that keeps these.
function(teacher, alone_updates=150000, alpha=1.0, top=null, cache=null) {
  model+: {
    teacher: teacher,
    alpha: alpha,
    [if top != null then 'teacher_top']: top,
    [if cache != null then 'teacher_cache']: cache,
  },
  trainer+: { type: 'udify_phased', phases: [{ updates: alone_updates }, {}] },
}
