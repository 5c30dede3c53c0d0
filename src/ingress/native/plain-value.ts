import { Noted } from '../values/noted.ts';

/** A value without its comments and without fields that are not set, as an API server has it. */
export function plainValue(value: unknown): unknown {
  if (value instanceof Noted) return plainValue(value.value);
  if (Array.isArray(value)) return value.map(plainValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => (field === undefined ? [] : [[name, plainValue(field)]])),
  );
}
