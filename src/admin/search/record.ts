import * as z from 'zod';
import { count, named, reference } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

const nearness = z
  .enum(['name', 'hostname', 'part', 'near'])
  .describe('The word is its name or its hostname, a part of its name, or differs in a few letters.');

const match = named('SearchMatch', 'An object that a word may mean.', {
  object: reference.describe('Kinds are those of the API server, and Listener, Certificate and Node as in problems.'),
  by: nearness,
  hostname: z.string().nullable().describe('Null: it was found by its name.'),
});

const found = named('SearchResult', 'What one word may mean.', {
  word: z.string(),
  matches: z.array(match).describe('The best first.'),
  total: count.describe('How many there are; `matches` may have fewer.'),
});

export const search = z.array(found);

export type FoundRecord = Shown<typeof found>;
export type Nearness = z.infer<typeof nearness>;
