import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { type PatchPart, patchParts } from '../../src/envoy-patch/parts.ts';
import type { SafeField, SafeFields } from '../../src/envoy-patch/safe/field.ts';

/** One field at one end of what a patch may say: the fields of an EnvoyPatch's spec. */
export interface Extreme {
  /** `cluster.connect_timeout = 0.001s` */
  readonly what: string;
  readonly patch: Readonly<Record<string, object>>;
}

/** Each field of these parts that patches may change, at the ends of what it may be. */
export const extremes = (...parts: readonly PatchPart[]): Extreme[] =>
  parts.flatMap((part) => {
    const { schema, safe } = patchParts[part];
    return [...within(schema, safe, part)].map(({ what, value }) => ({ what, patch: { [part]: value } }));
  });

interface Found {
  readonly what: string;
  readonly value: object;
}

function* within(schema: DescMessage, safe: SafeFields, path: string): Generator<Found> {
  for (const [name, rule] of Object.entries(safe)) {
    const field = schema.fields.find((each) => each.name === name) as DescField;
    for (const { what, value } of atField(field, rule, `${path}.${name}`)) yield { what, value: { [name]: value } };
  }
}

function* atField(field: DescField, rule: SafeField, path: string): Generator<{ what: string; value: unknown }> {
  const inList = (value: unknown) => (field.fieldKind === 'list' ? [value] : value);
  if (rule.kind !== 'fields') {
    for (const value of endsOf(field, rule)) yield { what: `${path} = ${JSON.stringify(value)}`, value: inList(value) };
    return;
  }
  const message = field.message as DescMessage;
  yield { what: `${path} = {}`, value: inList({}) };
  for (const { what, value } of within(message, rule.fields, path)) yield { what, value: inList(value) };
}

function endsOf(field: DescField, rule: Exclude<SafeField, { kind: 'fields' }>): readonly unknown[] {
  if (rule.kind === 'whole') return [rule.min, rule.max];
  if (rule.kind === 'text') return ['a', 'a'.repeat(64)];
  if (rule.kind === 'time') return [`${rule.minMs / 1000}s`, `${rule.maxMs / 1000}s`];

  const { enum: words, scalar } = field;
  if (words) return words.values.map(({ name }) => name);
  const wrapped = field.message?.fields.find(({ name }) => name === 'value')?.scalar;
  return byScalar[wrapped ?? scalar ?? ScalarType.BOOL] ?? [true, false];
}

const byScalar: Partial<Record<ScalarType, readonly unknown[]>> = {
  [ScalarType.UINT32]: [0, 1, 4_294_967_295],
  [ScalarType.UINT64]: [0, '18446744073709551615'],
  [ScalarType.INT64]: ['-9223372036854775808', '9223372036854775807'],
  [ScalarType.DOUBLE]: [0, -1e308, 1e308, 'NaN', 'Infinity'],
};
