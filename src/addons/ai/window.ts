/** The time that a report is of. `stepSeconds`: how long each of its parts is. */
export interface Window {
  readonly from: string;
  readonly to: string;
  readonly stepSeconds: number;
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of `15m`, `24h` or `30d`; undefined for anything else. */
export function parseRange(text: string): number | undefined {
  const [, number, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const ms = Number(number) * (units[unit ?? ''] ?? Number.NaN);
  return Number.isNaN(ms) || ms === 0 ? undefined : ms;
}

/** The same, in whole minutes: nothing finer is kept. */
export function parseStep(text: string): number | undefined {
  const ms = parseRange(text);
  return ms === undefined || ms % 60_000 !== 0 ? undefined : ms;
}
