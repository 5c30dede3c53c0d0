import { type Fields, isFields } from './values.ts';

/** Two values of one field: objects field by field, anything else as the second one has it. */
function merged(upper: unknown, lower: unknown): unknown {
  if (!isFields(upper) || !isFields(lower)) return lower ?? upper;
  const all: Record<string, unknown> = { ...upper };
  for (const [name, value] of Object.entries(lower)) all[name] = merged(upper[name], value);
  return all;
}

export const mergedFields = (upper: Fields | undefined, lower: Fields | undefined): Fields | undefined =>
  merged(upper, lower) as Fields | undefined;
