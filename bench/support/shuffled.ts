/** The same in an order by chance, so that what else the machine does meets all alike. */
export function shuffled<T>(all: readonly T[]): readonly T[] {
  return all
    .map((one) => ({ one, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
}
