const shape = /^([0-9]{1,5}(h|m|s|ms)){1,4}$/;
const parts = /([0-9]{1,5})(ms|h|m|s)/g;
const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Milliseconds of a duration in the Gateway API's form (GEP-2257: `1h30m`, `10s`, `250ms`); undefined when it is not one. */
export function parseDurationMs(text: string): number | undefined {
  if (!shape.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(parts)) total += Number(amount) * (unitMs[unit as string] as number);
  return total;
}
