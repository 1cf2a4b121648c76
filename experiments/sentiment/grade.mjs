// Grades one verdict against the label of its sentence. A zero score abstains: it is wrong, but neither a false
// positive nor a false negative. Each of the two error measures exists only for sentences of its own label.

/** Scores of a verdict `{says}`; `label` is 1 for a positive sentence and 0 for a negative one. */
export function gradeVerdict(verdict, label) {
  if (label !== 0 && label !== 1)
    throw new Error(`class: expected 0 or 1, got ${JSON.stringify(label)}`);
  const says = verdict?.says;
  if (!['positive', 'negative', 'nothing'].includes(says))
    throw new Error('the artifact holds no verdict');
  const flag = (holds) => (holds ? 1 : 0);
  return {
    scores: {
      right: flag(says === (label === 1 ? 'positive' : 'negative')),
      false_positive: label === 0 ? flag(says === 'positive') : null,
      false_negative: label === 1 ? flag(says === 'negative') : null,
      abstains: flag(says === 'nothing'),
    },
    critical: null,
  };
}
