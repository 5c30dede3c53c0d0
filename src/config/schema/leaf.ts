import * as z from 'zod';
import { parseDurationMs } from '../../std/index.ts';
import { type ListenAddress, parseListenAddress } from '../listen-address.ts';

// The message of each leaf is the end of the sentence "got X, expected …", with the next step in it.

/** Text that is not empty. `expected` says what it is, with an example. */
export const text = (expected: string) => z.string({ error: expected }).min(1, { error: expected });

/** The name of a namespace. */
export const namespace = (example: string) =>
  text(`a namespace such as "${example}"`).regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, {
    error: `a namespace such as "${example}": lower case letters, digits and "-"`,
  });

/** A whole number; also when it came as text out of an environment variable. */
export function whole(expected: string, min: number, max: number) {
  const error = `${expected}, a whole number from ${min} to ${max}`;
  return z
    .preprocess(
      (value) => (typeof value === 'string' && /^[0-9]+$/.test(value) ? Number(value) : value),
      z.number({ error }).int({ error }).min(min, { error }).max(max, { error }),
    )
    .meta({ title: `whole number, ${min} to ${max}`, type: 'integer', minimum: min, maximum: max });
}

/** Scheme, host and port of a page, as browsers write them. */
export const origin = () => {
  const error = 'an origin such as "https://console.example.com", with no path behind it';
  return z.string({ error }).refine((value) => URL.canParse(value) && new URL(value).origin === value, { error });
};

/** True or false; also when it came as text out of an environment variable. */
export const flag = () =>
  z
    .preprocess(
      (value) => (value === 'true' ? true : value === 'false' ? false : value),
      z.boolean({ error: 'true or false' }),
    )
    .meta({ title: '`true` or `false`', type: 'boolean' });

/** One of a few words. */
export const oneOf = <const W extends readonly [string, ...string[]]>(words: W) =>
  z.enum(words, { error: `one of ${words.join(', ')}` });

/** A duration, given on in milliseconds. */
export function duration() {
  const error = 'a duration such as "10s" or "1m30s"';
  const parsed = z.string({ error }).transform((value, context): number => {
    const ms = parseDurationMs(value);
    if (ms !== undefined) return ms;
    context.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  });
  return parsed.meta({ title: 'duration such as `1m30s`', pattern: '^([0-9]{1,5}(h|m|s|ms)){1,4}$' });
}

/** An address to listen on. */
export const listenAddress = (example: string) =>
  address(`an address to listen on such as "${example}" or "127.0.0.1${example}"`, () => true);

/** An address to call: it must name a host and a port. */
export const targetAddress = (example: string) =>
  address(`an address to call such as "${example}"`, ({ host, port }) => host !== undefined && port > 0);

function address(error: string, fits: (address: ListenAddress) => boolean) {
  const parsed = z.string({ error }).transform((value, context): ListenAddress => {
    const address = parseListenAddress(value);
    if (address !== undefined && fits(address)) return address;
    context.addIssue({ code: 'custom', message: error });
    return z.NEVER;
  });
  return parsed.meta({ title: 'address `HOST:PORT`' });
}
