import type { MessageInitShape } from '@bufbuild/protobuf';
import type { OtlpKeyValueSchema } from '../envoy/index.ts';

type Attribute = MessageInitShape<typeof OtlpKeyValueSchema>;

/** Whole numbers are sent as such; others are written `{ double }`. */
export type SpanValue = string | number | boolean | { readonly double: number } | readonly string[];

/** Attributes as OTLP has them. Source: opentelemetry/proto/common/v1, KeyValue. */
export const attributes = (values: Readonly<Record<string, SpanValue>>): Attribute[] =>
  Object.entries(values).map(([key, value]) => ({ key, value: { value: anyValue(value) } }));

type AnyValue = NonNullable<NonNullable<Attribute['value']>['value']>;

function anyValue(value: SpanValue): AnyValue {
  if (typeof value === 'string') return { case: 'stringValue', value };
  if (typeof value === 'boolean') return { case: 'boolValue', value };
  if (typeof value === 'number') return { case: 'intValue', value: BigInt(value) };
  if ('double' in value) return { case: 'doubleValue', value: value.double };
  return { case: 'arrayValue', value: { values: value.map((each) => ({ value: anyValue(each) })) } };
}

/** Milliseconds since 1970, with fractions, of which doubles keep whole microseconds, as nanoseconds. */
export const epochNanos = (ms: number): bigint => BigInt(Math.round(ms * 1000)) * 1000n;
