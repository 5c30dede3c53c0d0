/** A value of an object as it was read: nothing has checked it. */
export type Fields = Readonly<Record<string, unknown>>;

/** A value that is not of the type that its field has. The message says what it is not. */
export class Unusable extends Error {}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Throws Unusable for what is no object. */
export function fieldsOf(value: unknown): Fields {
  if (isFields(value)) return value;
  throw new Unusable('is no object');
}

/** Throws Unusable for what is no list. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Unusable('is no list');
}

/** Throws Unusable for what is no text. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new Unusable('is no text');
}

/** Throws Unusable for what is no number. */
export function numberOf(value: unknown): number {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new Unusable('is no number');
}

/** Throws Unusable for what is neither true nor false. */
export function truthOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new Unusable('is neither true nor false');
}

export const textsOf = (value: unknown): readonly string[] => listOf(value).map(textOf);

/** The text of a field that may be left out. */
export const textAt = (fields: Fields, name: string): string | undefined =>
  fields[name] === undefined ? undefined : textOf(fields[name]);

const units: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** Bytes of a Kubernetes quantity, rounded up. Throws Unusable for what is none. */
export function bytesOf(value: unknown): number {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)(|k|M|G|T|Ki|Mi|Gi|Ti)$/.exec(String(value)) ?? [];
  const factor = units[unit];
  if (amount === '' || factor === undefined) throw new Unusable('is no quantity of bytes');
  return Math.ceil(Number(amount) * factor);
}

const spans: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Milliseconds of a duration such as `1m30s`, as the Gateway API writes them. Throws Unusable for what is none. */
export function millisecondsOf(value: unknown): number {
  const text = textOf(value);
  if (!/^(?:\d{1,5}(?:h|ms|m|s)){1,4}$/.test(text)) throw new Unusable('is no duration');
  return [...text.matchAll(/(\d+)(h|ms|m|s)/g)].reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (spans[unit] ?? 0),
    0,
  );
}
