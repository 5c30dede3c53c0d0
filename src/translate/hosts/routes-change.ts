import type * as ir from '../../ir/index.ts';

const few = 8;
/** Each is looked for in a list. */
const most = 256;

/** How a host's list of routes becomes another one. */
export interface RoutesChange {
  readonly gone: readonly ir.Route[];
  readonly come: readonly ir.Route[];
}

/** The routes that one of the two lists lacks; undefined: they are most of them, or what both have is in another order. */
export function routesChange(before: readonly ir.Route[], after: readonly ir.Route[]): RoutesChange | undefined {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const former = before.slice(start, before.length - end);
  const latter = after.slice(start, after.length - end);
  const change = differing(former, latter);
  // One route may stand there twice, and only one of the two have come or gone.
  const isTwice =
    change?.gone.some((route) => after.includes(route)) || change?.come.some((route) => before.includes(route));
  return isTwice ? undefined : change;
}

/** Walks through both, and looks further on for what is not the next in the other. */
function differing(former: readonly ir.Route[], latter: readonly ir.Route[]): RoutesChange | undefined {
  const gone: ir.Route[] = [];
  const come: ir.Route[] = [];
  let [i, j] = [0, 0];
  while (i < former.length || j < latter.length) {
    const [old, fresh] = [former[i], latter[j]];
    if (old !== undefined && old === fresh) {
      i += 1;
      j += 1;
    } else if (old !== undefined && !latter.includes(old, j)) {
      gone.push(old);
      i += 1;
    } else if (fresh !== undefined && !former.includes(fresh, i)) {
      come.push(fresh);
      j += 1;
    } else return undefined;
    if (gone.length + come.length > most) return undefined;
  }
  return { gone, come };
}

/** Whether a route is in the list. A few comparisons cost less than to look into a route, for thousands of them are slow to reach in memory. */
export function membership(list: readonly ir.Route[]): (route: ir.Route) => boolean {
  if (list.length <= few) return (route) => list.includes(route);
  const all = new Set(list);
  return (route) => all.has(route);
}
