/** Orders by code unit, so that the order is the same on every machine. Negative when `a` comes first. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
