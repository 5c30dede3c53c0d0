/** What a route uses of a slot whose filter depends on its routes: `SLOT/ITEM`. */
export const slotWithItem = (slot: string, item: string): string => `${slot}/${item}`;

/** Of a name with an item, or of a slot's own. */
export function slotAndItem(used: string): readonly [slot: string, item: string | undefined] {
  const slash = used.indexOf('/');
  return slash < 0 ? [used, undefined] : [used.slice(0, slash), used.slice(slash + 1)];
}
