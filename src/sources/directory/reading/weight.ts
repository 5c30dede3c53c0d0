/**
 * About the length of a value as JSON, or `limit` when it is longer: no more than that is looked at. What aliases make of one thing counts as
 * often as it is there.
 */
export function weightOf(value: unknown, limit: number): number {
  let weight = 0;
  const todo: unknown[] = [value];
  while (todo.length > 0 && weight < limit) {
    const next = todo.pop();
    weight += 2;
    if (typeof next === 'string') weight += next.length;
    else if (Array.isArray(next)) weight += pushAll(todo, next, limit);
    else if (typeof next === 'object' && next !== null) {
      for (const [key, member] of Object.entries(next)) {
        weight += key.length + 2;
        todo.push(member);
      }
    }
  }
  return Math.min(weight, limit);
}

function pushAll(todo: unknown[], items: readonly unknown[], limit: number): number {
  if (items.length > limit) return limit;
  for (const item of items) todo.push(item);
  return 0;
}
