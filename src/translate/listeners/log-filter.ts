import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type AccessLogFilterSchema,
  FractionalPercent_DenominatorType as Denominator,
  ComparisonFilter_Op as Op,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { celLogFilter, isLoggedByRoute } from '../resource/index.ts';

type Filter = MessageInitShape<typeof AccessLogFilterSchema>;
type Specifier = NonNullable<Extract<Filter, { readonly $typeName?: never }>['filterSpecifier']>;

/** Which requests are logged; undefined: all. */
export function logFilter({ when, byRoute }: ir.AccessLog): Filter | undefined {
  const parts = [...(when ? [oneOf(when)] : []), ...(byRoute ? [isLoggedByRoute] : [])];
  return parts.length > 0 ? allOf(parts) : undefined;
}

function oneOf(conditions: readonly ir.LogCondition[]): Filter {
  const each = conditions.map((condition) => allOf(partsOf(condition)));
  const [only] = each;
  return each.length === 1 && only ? only : filter({ case: 'orFilter', value: { filters: each } });
}

const filter = (filterSpecifier: Specifier): Filter => ({ filterSpecifier });

const allOf = (parts: readonly Filter[]): Filter => {
  const [only] = parts;
  return parts.length === 1 && only ? only : filter({ case: 'andFilter', value: { filters: [...parts] } });
};

/** The share comes last, so that it is one of those that the rest holds for. Envoy asks in this order. */
function partsOf({
  minStatus,
  maxStatus,
  minDurationMs,
  methods,
  header,
  cel,
  percent,
}: ir.LogCondition): readonly Filter[] {
  return [
    ...(minStatus === undefined ? [] : [status(Op.GE, minStatus)]),
    ...(maxStatus === undefined ? [] : [status(Op.LE, maxStatus)]),
    ...(minDurationMs === undefined ? [] : [lasted(minDurationMs)]),
    ...(methods ? [methodIn(methods)] : []),
    ...(header ? [hasHeader(header)] : []),
    ...(cel === undefined ? [] : [celLogFilter(cel)]),
    ...(percent === undefined ? [] : [sampled(percent)]),
  ];
}

const status = (op: Op, value: number): Filter =>
  filter({ case: 'statusCodeFilter', value: { comparison: compared(op, value, `status_${op}_${value}`) } });

const lasted = (ms: number): Filter =>
  filter({ case: 'durationFilter', value: { comparison: compared(Op.GE, ms, `duration_${ms}`) } });

/** Envoy wants a key of its runtime, by which we change nothing. */
const compared = (op: Op, defaultValue: number, key: string) => ({
  op,
  value: { defaultValue, runtimeKey: `gatewright.log.${key}` },
});

const methodIn = (methods: readonly string[]): Filter =>
  filter({
    case: 'headerFilter',
    value: { header: { name: ':method', headerMatchSpecifier: { case: 'stringMatch', value: anyOf(methods) } } },
  });

/** Methods are letters alone. */
const anyOf = (words: readonly string[]) => ({
  matchPattern: { case: 'safeRegex' as const, value: { regex: words.join('|') } },
});

const hasHeader = ({ name, value }: NonNullable<ir.LogCondition['header']>): Filter =>
  filter({
    case: 'headerFilter',
    value: {
      header: {
        name,
        headerMatchSpecifier:
          value === undefined
            ? { case: 'presentMatch', value: true }
            : { case: 'stringMatch', value: { matchPattern: { case: 'exact', value } } },
      },
    },
  });

/** By chance, not by the request's id, which clients may choose. */
const sampled = (percent: number): Filter =>
  filter({
    case: 'runtimeFilter',
    value: {
      runtimeKey: `gatewright.log.percent_${percent}`,
      percentSampled: { numerator: percent, denominator: Denominator.HUNDRED },
      useIndependentRandomness: true,
    },
  });
