import { Unusable } from '../../kit/values.ts';

const spans: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
  µs: 0.001,
  ns: 1e-6,
};

/** A duration of Traefik, which is a text such as `1m30s` or a number of seconds, as the Gateway API writes it. Throws Unusable for what is none. */
export function durationOf(value: unknown): string {
  const text = String(value);
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(h|ms|us|µs|ns|m|s)?/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) throw new Unusable('is no duration');
  const ms = parts.reduce((sum, [, amount, unit = 's']) => sum + Number(amount) * (spans[unit] ?? 0), 0);
  const whole = Math.max(1, Math.round(ms));
  const [seconds, rest] = [Math.floor(whole / 1000), whole % 1000];
  if (seconds > 99_999) return `${Math.ceil(seconds / 3600)}h`;
  return `${seconds > 0 ? `${seconds}s` : ''}${rest > 0 ? `${rest}ms` : ''}`;
}
