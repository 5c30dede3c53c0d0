/** One value of DER: its tag, and where its content is. */
export interface DerValue {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

export const derTag = {
  bitString: 0x03,
  integer: 0x02,
  sequence: 0x30,
  utcTime: 0x17,
  generalizedTime: 0x18,
  context0: 0xa0,
} as const;

/** The values that stand one after the other between two places. Throws where the lengths do not fit. */
export function derValues(bytes: Uint8Array, start: number, end: number): DerValue[] {
  const values: DerValue[] = [];
  for (let at = start; at < end; ) {
    const value = derValue(bytes, at, end);
    values.push(value);
    at = value.end;
  }
  return values;
}

/** Reads tag and length alone, so that it costs the same for a content of any size. */
function derValue(bytes: Uint8Array, at: number, end: number): DerValue {
  const [tag = 0, first = 0] = [bytes[at], bytes[at + 1]];
  const count = first < 0x80 ? 0 : first & 0x7f;
  if (at + 2 + count > end || count > 4 || first === 0x80) throw new Error('no DER');
  let length = count === 0 ? first : 0;
  for (const byte of bytes.subarray(at + 2, at + 2 + count)) length = length * 256 + byte;
  const start = at + 2 + count;
  if (start + length > end) throw new Error('no DER');
  return { tag, start, end: start + length };
}

/** The values within one. */
export const derWithin = (bytes: Uint8Array, value: DerValue | undefined): DerValue[] =>
  value ? derValues(bytes, value.start, value.end) : [];

/** A UTCTime or GeneralizedTime in the form that RFC 5280 demands: in UTC, with seconds. Undefined: it is none. */
export function derTime(bytes: Uint8Array, { tag, start, end }: DerValue): Date | undefined {
  const text = Buffer.from(bytes.subarray(start, end)).toString('latin1');
  const form = tag === derTag.utcTime ? utcTime : tag === derTag.generalizedTime ? generalizedTime : undefined;
  const [, written = '', month, day, hour, minute, second] = form?.exec(text) ?? [];
  if (written === '') return undefined;
  const year = written.length === 4 ? written : `${Number(written) < 50 ? '20' : '19'}${written}`;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

const utcTime = /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/;
const generalizedTime = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/;
