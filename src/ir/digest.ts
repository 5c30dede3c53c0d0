import { hash } from 'node:crypto';
import { redactedText } from '../std/index.ts';
import { Sensitive } from './sensitive.ts';

/**
 * A 128-bit number that names content. Digests of a set's members add up to the digest of the set, whatever the order
 * they came in, so that a snapshot's id can be kept up to date by one subtraction and one addition per change, and two
 * processes that saw the same objects in different orders agree on it.
 */
export type Digest = bigint;

const bits = 128;
const modulus = 1n << BigInt(bits);

export const emptyDigest: Digest = 0n;

export const addDigest = (sum: Digest, member: Digest): Digest => BigInt.asUintN(bits, sum + member);

export const removeDigest = (sum: Digest, member: Digest): Digest => BigInt.asUintN(bits, sum + modulus - member);

/** 32 hexadecimal digits. */
export const formatDigest = (digest: Digest): string => digest.toString(16).padStart(bits / 4, '0');

/** The digest of a string. */
export const digestOfText = (text: string): Digest => BigInt(`0x${hash('sha256', text).slice(0, bits / 4)}`);

const known = new WeakMap<object, Digest>();

/**
 * The digest of an immutable IR fragment, computed once per object. Fragments are built with their fields in one fixed
 * order, so their JSON is canonical; sensitive bytes count by their content although they print as `[redacted]`.
 */
export function digestOf(fragment: object): Digest {
  const before = known.get(fragment);
  if (before !== undefined) return before;
  const digest = digestOfText(canonicalText(fragment));
  known.set(fragment, digest);
  return digest;
}

/** Lets a stage that knows a cheaper way (such as a sum over members) resolve a fragment's digest beforehand. */
export function rememberDigest(fragment: object, digest: Digest): void {
  known.set(fragment, digest);
}

/** Sensitive bytes at any depth count by their digest. Most fragments have none, and are written without looking at each value. */
function canonicalText(fragment: object): string {
  const text = JSON.stringify(fragment);
  return text.includes(redactedText) ? JSON.stringify(fragment, digestInPlace) : text;
}

// JSON.stringify asks toJSON before the replacer, so that the value itself is found in its holder.
function digestInPlace(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  const held = this[key];
  return held instanceof Sensitive ? hash('sha256', held.reveal()) : value;
}
