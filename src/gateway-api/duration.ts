const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Milliseconds of a Gateway API duration such as `1h30m`, `10s`, `500ms`; undefined when it is not one. Source: GEP-2257. */
export function parseDuration(text: string): number | undefined {
  if (!/^([0-9]{1,5}(h|m|s|ms)){1,4}$/.test(text)) return undefined;
  const parts = text.matchAll(/(\d+)(ms|h|m|s)/g);
  return [...parts].reduce((sum, [, number, unit]) => sum + Number(number) * (unitsMs[unit as string] as number), 0);
}
