/**
 * What a patch may say at a field. `any`: whatever the field's type takes, for types without messages. `times` are in milliseconds. A nested rule is for a
 * message, or for each member of a list of messages.
 */
export type SafeField =
  | { readonly kind: 'any' }
  | { readonly kind: 'whole'; readonly min: number; readonly max: number }
  | { readonly kind: 'time'; readonly minMs: number; readonly maxMs: number }
  | { readonly kind: 'text'; readonly pattern: RegExp; readonly shape: string }
  | { readonly kind: 'fields'; readonly fields: SafeFields };

/** By the name of the field in its definition. A field that is not here may not be patched. */
export type SafeFields = { readonly [field: string]: SafeField };

export const any: SafeField = { kind: 'any' };

/** Also of numbers with a fraction. */
export const whole = (max: number, min = 0): SafeField => ({ kind: 'whole', min, max });

const dayMs = 86_400_000;

/** Up to a day, unless it is said otherwise. */
export const time = (minMs = 0, maxMs = dayMs): SafeField => ({ kind: 'time', minMs, maxMs });

/** `shape`: what the pattern takes, as the end of "must be". */
export const text = (pattern: RegExp, shape: string): SafeField => ({ kind: 'text', pattern, shape });

export const fields = (members: SafeFields): SafeField => ({ kind: 'fields', fields: members });

/** Several fields with one rule. */
export const all = (rule: SafeField, ...names: readonly string[]): SafeFields =>
  Object.fromEntries(names.map((name) => [name, rule]));
