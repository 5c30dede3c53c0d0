import type { z } from 'zod';
import { LazyList } from '../http/index.ts';

/** The value that a schema describes, as a record holds it: nothing is writable, and fields that a loose object may have beside its own do not count. */
export type Shown<S extends z.ZodType> = DeepReadonly<z.infer<S>>;

type DeepReadonly<T> = T extends readonly (infer Entry)[]
  ? readonly DeepReadonly<Entry>[]
  : T extends object
    ? { readonly [K in keyof T as IsLoose<T, K> extends true ? never : K]: DeepReadonly<T[K]> }
    : T;

/** Whether the key is that of `z.looseObject`, which takes anything. */
type IsLoose<T, K extends keyof T> = string extends K
  ? unknown extends T[K]
    ? true
    : false
  : number extends K
    ? true
    : false;

export type Awaitable<T> = T | Promise<T>;

/** A list whose entries are made when they are written: to its reader a list like any other. */
export const lazily = <T, R>(entries: Iterable<T>, present: (entry: T) => R): readonly R[] =>
  new LazyList(entries, present) as unknown as readonly R[];
