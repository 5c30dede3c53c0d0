import { createHash } from 'node:crypto';

/** A key for values of any length. */
export const digestOf = (...values: readonly unknown[]): Buffer =>
  createHash('sha256').update(JSON.stringify(values)).digest();

const longest = 512;

/** What PostgreSQL can store and index: it takes no NUL, and clients and providers choose some texts. */
export const storable = (text: string): string => text.slice(0, longest).toWellFormed().replaceAll('\0', '\ufffd');
