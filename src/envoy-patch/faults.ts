import { type DescField, type DescMessage, fromJson, type JsonValue } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { didYouMean } from '../std/index.ts';
import { type PatchPart, patchParts } from './parts.ts';
import type { SafeField, SafeFields } from './safe/field.ts';
import { fieldOf, isObject, mergedIn, messageIn } from './walk.ts';

/** In characters of JSON: what is longer is no last resort. */
const maxLength = 16_384;
const maxFaults = 8;
const maxMembers = 16;

/**
 * What is wrong with a patch, in sentences that name the field by its path; none if it can be merged. It is looked at as Envoy's own definitions have
 * it: names, types, and whether the field is among those that patches may change.
 */
export function patchFaults(part: PatchPart, patch: unknown): readonly string[] {
  const size = JSON.stringify(patch)?.length ?? 0;
  if (size > maxLength)
    return [`${part} is ${size} characters of JSON long, and may be ${maxLength}: keep to what differs`];
  const { schema, safe, ...rest } = patchParts[part];
  const keeps = 'keepsFields' in rest;
  return [...faultsIn({ path: part, schema, safe, keeps, value: patch })].slice(0, maxFaults);
}

interface Place {
  readonly path: string;
  readonly schema: DescMessage;
  readonly safe: SafeFields;
  /** No field is taken away. */
  readonly keeps: boolean;
  readonly value: unknown;
}

function* faultsIn({ path, schema, safe, keeps, value }: Place): Generator<string> {
  if (!isObject(value)) {
    yield `${path} must be an object, with fields of ${schema.typeName}`;
    return;
  }
  const seen = new Set<string>();
  for (const [key, member] of Object.entries(value)) {
    const at = `${path}.${key}`;
    const field = fieldOf(schema, key);
    const rule = field && ruleOf(safe, field);
    if (!field) yield unknown(at, key, schema, safe);
    else if (!rule) yield `${at} may not be patched: here ${listed(safe)} may`;
    else if (seen.has(field.name)) yield `${at} is written twice: leave out ${field.name} or ${field.jsonName}`;
    else if (member === null && keeps) yield `${at} cannot be taken away: give it another value`;
    else if (member === null && mergedIn(field)) yield `${at} cannot be taken away as a whole: take its fields away`;
    else if (member !== null) yield* faultsAt({ path: at, field, rule, keeps, value: member });
    if (field) seen.add(field.name);
  }
}

const ruleOf = (safe: SafeFields, { name }: DescField): SafeField | undefined =>
  Object.hasOwn(safe, name) ? safe[name] : undefined;

const unknown = (at: string, key: string, schema: DescMessage, safe: SafeFields): string => {
  const near =
    didYouMean(key, Object.keys(safe)) ||
    didYouMean(
      key,
      schema.fields.map(({ name }) => name),
    );
  return `${at} is no field of ${schema.typeName}${near || `: here ${listed(safe)} may be patched`}`;
};

const listed = (safe: SafeFields): string => Object.keys(safe).sort().join(', ') || 'nothing';

interface FieldPlace {
  readonly path: string;
  readonly field: DescField;
  readonly rule: SafeField;
  readonly keeps: boolean;
  readonly value: unknown;
}

function* faultsAt({ path, field, rule, keeps, value }: FieldPlace): Generator<string> {
  const message = messageIn(field);
  if (message === undefined || rule.kind !== 'fields') {
    yield* valueFaults({ path, field, rule, keeps, value });
    return;
  }
  const safe = rule.fields;
  if (field.fieldKind !== 'list') {
    yield* faultsIn({ path, schema: message, safe, keeps, value });
    return;
  }
  if (!Array.isArray(value) || value.length > maxMembers) {
    yield `${path} must be a list of at most ${maxMembers} members`;
    return;
  }
  for (const [index, member] of value.entries())
    yield* faultsIn({ path: `${path}[${index}]`, schema: message, safe, keeps, value: member });
}

function* valueFaults({ path, field, rule, value }: FieldPlace): Generator<string> {
  const read = readField(field, value);
  if ('fault' in read) yield `${path}: ${read.fault}`;
  else if (!isWithin(rule, read.value)) yield `${path} must be ${boundsOf(rule)}`;
}

/** As it is in the message. */
export function readField(field: DescField, value: unknown): { readonly value: unknown } | { readonly fault: string } {
  try {
    const message = fromJson(field.parent, { [field.name]: value as JsonValue });
    return { value: reflect(field.parent, message).get(field) };
  } catch (error) {
    if (messageOf(field) === 'google.protobuf.Duration')
      return { fault: 'must be a number of seconds such as "0.25s"' };
    const words = error instanceof Error ? error.message : String(error);
    return { fault: words.replace(/^cannot decode field \S+ from JSON:?\s*/, '').slice(0, 200) };
  }
}

const messageOf = (field: DescField): string | undefined =>
  field.fieldKind === 'message' ? field.message.typeName : undefined;

const boundsOf = (rule: SafeField): string => {
  if (rule.kind === 'whole') return `from ${rule.min} to ${rule.max}`;
  if (rule.kind === 'text') return rule.shape;
  if (rule.kind === 'time') return `from ${rule.minMs / 1000}s to ${rule.maxMs / 1000}s`;
  return 'of its type';
};

function isWithin(rule: SafeField, value: unknown): boolean {
  switch (rule.kind) {
    case 'any':
      return true;
    case 'whole':
      return isBetween(numberOf(value), rule.min, rule.max);
    case 'time':
      return isBetween(millisecondsOf(value), rule.minMs, rule.maxMs);
    case 'text':
      return rule.pattern.test(String(value));
    case 'fields':
      return false;
  }
}

const isBetween = (value: number, min: number, max: number): boolean => value >= min && value <= max;

/** Of a scalar, or of a wrapper of one. */
const numberOf = (value: unknown): number => Number(isMessage(value) ? value.message.value : value);

const millisecondsOf = (value: unknown): number => {
  if (!isMessage(value)) return Number.NaN;
  const { seconds, nanos } = value.message;
  return Number(seconds) * 1000 + Number(nanos) / 1e6;
};

const isMessage = (value: unknown): value is { readonly message: Readonly<Record<string, unknown>> } =>
  typeof value === 'object' && value !== null && 'message' in value;
