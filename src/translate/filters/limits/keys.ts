import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { limitHeaders } from '../../../contracts/index.ts';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  type FilterStateValueSchema,
  HeaderMutationFilterSchema,
  packAny,
  SetFilterStateSchema,
  RateLimit_Action_MetaData_Source as Source,
} from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import { celFormatter } from '../../resource/index.ts';
import type { NamedFilter } from '../slot.ts';
import { type ComputedCost, computedCosts } from './cost.ts';
import type { Step } from './match.ts';
import { certificateFilter, whoExpression } from './who.ts';

/** Where a request's cookies are kept that requests differ by. */
const cookieNamespace = 'gatewright.limit.cookies';

/** The client's address, where the agent compares it. */
export const addressHeader = `${limitHeaders.rejected}-address`;

/** What all headers of limits begin with: one of our own, which no client can send. */
export const limitHeader = limitHeaders.rejected;

/** What Envoy has no header for, as an expression. The host is compared in one spelling, whatever the client's. */
const expressions = {
  host: "request.host.startsWith('[') ? request.host.lowerAscii().split(']')[0] : request.host.lowerAscii().split(':')[0]",
  path: 'request.url_path',
  // Of an object's routes, all rules and matches are one.
  route: "xds.route_name.split('/rule/')[0]",
  identity: whoExpression,
} as const;
export type Computed = keyof typeof expressions;

const isComputed = (kind: string): kind is Computed => Object.hasOwn(expressions, kind);

export const headerOf = (kind: Computed): string => `${limitHeader}-${kind}`;

const stateOf = (kind: Computed): string => `gatewright.limit.${kind}`;

/** A part of a key, and how its entry is called; `isOptional`: requests may lack it, and then share a bucket. */
export interface KeyStep extends Step {
  readonly isOptional: boolean;
}

export function keyStep(key: ir.LimitKey, descriptorKey: string, exempt: boolean): KeyStep {
  const optional = { descriptorKey, skipIfAbsent: !exempt };
  const step = (action: Step['action']['actionSpecifier'], isOptional = false): KeyStep => ({
    action: { actionSpecifier: action },
    entry: { key: descriptorKey },
    isOptional: isOptional && !exempt,
  });
  switch (key.kind) {
    case 'clientIP': {
      const value = { v4PrefixMaskLen: key.v4Prefix, v6PrefixMaskLen: key.v6Prefix };
      // It has a name of its own.
      return { ...step({ case: 'maskedRemoteAddress', value }), entry: { key: 'masked_remote_address' } };
    }
    case 'header':
      return step({ case: 'requestHeaders', value: { headerName: key.name, ...optional } }, true);
    case 'query':
      return step({ case: 'queryParameters', value: { queryParameterName: key.name, ...optional } }, true);
    case 'cookie': {
      const metadataKey = { key: cookieNamespace, path: [{ segment: { case: 'key' as const, value: key.name } }] };
      return step({ case: 'metadata', value: { source: Source.DYNAMIC, metadataKey, ...optional } }, true);
    }
    case 'identity':
      return step({ case: 'requestHeaders', value: { headerName: headerOf(key.kind), ...optional } }, true);
    case 'method':
      return step({ case: 'requestHeaders', value: { headerName: ':method', descriptorKey } });
    default:
      return step({ case: 'requestHeaders', value: { headerName: headerOf(key.kind), descriptorKey } });
  }
}

/** Rules of header_to_metadata for the cookies among the keys. */
export const cookieRules = (keys: readonly ir.LimitKey[]) =>
  [...new Set(keys.flatMap((key) => (key.kind === 'cookie' ? key.name : [])))].sort().map((cookie) => ({
    cookie,
    onHeaderPresent: { metadataNamespace: cookieNamespace, key: cookie },
  }));

const computedKey = (kind: Computed) => computed({ key: stateOf(kind), expression: expressions[kind] });

const computed = ({ key, expression }: ComputedCost): MessageInitShape<typeof FilterStateValueSchema> => ({
  key: { case: 'objectKey', value: key },
  factoryKey: 'envoy.string',
  value: {
    case: 'formatString',
    value: {
      format: {
        case: 'textFormatSource',
        value: { specifier: { case: 'inlineString', value: `%CEL(${expression})%` } },
      },
      formatters: [celFormatter],
    },
  },
});

/** What of requests is computed in front of the filters that count, since Envoy has no header for it. */
export function computingFilters(buckets: readonly ir.LimitBucket[]): readonly NamedFilter[] {
  const keys = buckets.flatMap(({ key }) => key);
  const kinds = [...new Set(keys.flatMap(({ kind }) => (isComputed(kind) ? kind : [])))];
  const values = [...kinds.sort().map(computedKey), ...computedCosts(buckets).map(computed)];
  const addresses = buckets.some(countsAddresses) ? [addressFilter()] : [];
  if (values.length === 0) return addresses;
  const state = create(SetFilterStateSchema, { onRequestHeaders: values });
  return [
    ...addresses,
    ...(kinds.includes('identity') ? [{ name: 'certificate', typedConfig: certificateFilter() }] : []),
    { name: 'keys', typedConfig: packAny(SetFilterStateSchema, state) },
    ...(kinds.length > 0 ? [keyHeaders(kinds)] : []),
  ];
}

const countsAddresses = ({ concurrent, key }: ir.LimitBucket): boolean =>
  concurrent !== undefined && key.some(({ kind }) => kind === 'clientIP');

const addressFilter = (): NamedFilter => ({
  name: 'address',
  typedConfig: writes([{ key: addressHeader, value: '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%' }]),
});

/** It only reads what the one before it made: expressions in headers know no functions. */
function keyHeaders(kinds: readonly Computed[]): NamedFilter {
  const headers = kinds.map((kind) => ({ key: headerOf(kind), value: `%FILTER_STATE(${stateOf(kind)}:PLAIN)%` }));
  return { name: 'key-headers', typedConfig: writes(headers) };
}

/** In place of what is there. */
const writes = (headers: readonly { readonly key: string; readonly value: string }[]): Any =>
  packAny(
    HeaderMutationFilterSchema,
    create(HeaderMutationFilterSchema, {
      mutations: {
        requestMutations: headers.map((header) => ({
          action: {
            case: 'append' as const,
            value: { header, appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD },
          },
        })),
      },
    }),
  );
