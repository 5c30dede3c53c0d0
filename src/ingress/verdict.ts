/**
 * What the move does to a part of an Ingress: `same` requests are answered as before; `differs`, in a way that is named; `decision`, a person
 * must choose; `cannot`, there is no word for it here; `not-served`, the controller does not serve it today; `no-effect`, nothing is lost without it.
 */
export type Verdict = 'same' | 'differs' | 'decision' | 'cannot' | 'not-served' | 'no-effect';

/** From the least to the most work for the person who moves. */
export const verdicts: readonly Verdict[] = ['no-effect', 'same', 'differs', 'decision', 'cannot', 'not-served'];

/** The one that needs the most work; `same` of none. */
export const worstOf = (given: Iterable<Verdict>): Verdict => {
  let worst = verdicts.indexOf('same');
  for (const verdict of given) worst = Math.max(worst, verdicts.indexOf(verdict));
  return verdicts[worst] as Verdict;
};
