import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  EarlyHeaderMutationSchema,
  type HeaderMutationSchema,
  packAny,
  type TypedExtensionConfigSchema,
} from '../../envoy/index.ts';
import * as ir from '../../ir/index.ts';
import { headerMutations } from '../filters/index.ts';
import type { Peer } from './client-address.ts';

type Extension = MessageInitShape<typeof TypedExtensionConfigSchema>;
type Mutation = MessageInitShape<typeof HeaderMutationSchema>;

/** What is changed in a request's headers before anything looks at them; but for what Envoy itself reads, after what is not believed was removed. */
export function earlyEdits({ requestHeaders, requestId }: ir.ClientSettings): readonly Extension[] {
  const mutations = [
    ...(requestId?.mode === 'None' ? [remove('x-request-id')] : []),
    ...(requestHeaders ? headerMutations(requestHeaders) : []),
  ];
  return mutations.length === 0 ? [] : [extension('gatewright.requests', mutations)];
}

const original: ir.ForwardedHeader = 'X-Original-Forwarded-For';

/** Comes first: Envoy adds to X-Forwarded-For before filters see it. Of a request without one the header is removed, even one of a known proxy. */
export function originalForwarded({ forwarded }: ir.ClientSettings): readonly Extension[] {
  if (!forwarded?.add.includes(original)) return [];
  return [extension('gatewright.original', [remove(original.toLowerCase()), set(original, '%REQ(X-FORWARDED-FOR)%')])];
}

/** By which backends learn how the client spoke to us. */
export function forwardedHeaders(client: ir.ClientSettings, peer: Peer, table: string): readonly Mutation[] {
  const { forwarded, trustedHops = 0 } = client;
  if (!forwarded) return [];
  const { forwardedFor, add } = forwarded;
  // What proxies before this one wrote says how the client spoke to them.
  const isTrusted = peer === 'proxy' || (peer === 'all' && trustedHops > 0);
  const values = valuesOf(table);
  return [
    ...(forwardedFor === 'Replace' ? [set('x-forwarded-for', clientAddress)] : []),
    ...add.flatMap((name) => {
      const fingerprint = fingerprints[name];
      if (fingerprint !== undefined) return [remove(name.toLowerCase()), set(name, fingerprint)];
      const value = values[name];
      if (value === undefined) return [];
      return isTrusted && saidByProxies.includes(name) ? [setIfAbsent(name, value)] : [set(name, value)];
    }),
  ];
}

const clientAddress = '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%';

/** Connections without TLS have none, and what a client writes there must not stay. */
const fingerprints: Readonly<Partial<Record<ir.ForwardedHeader, string>>> = {
  'X-JA3-Fingerprint': '%TLS_JA3_FINGERPRINT%',
  'X-JA4-Fingerprint': '%TLS_JA4_FINGERPRINT%',
};

const saidByProxies: readonly ir.ForwardedHeader[] = ['X-Forwarded-Host', 'X-Forwarded-Port'];

/** The scheme is what Envoy found, or what proxies said that it trusts. */
const valuesOf = (table: string): Readonly<Partial<Record<ir.ForwardedHeader, string>>> => ({
  'X-Real-IP': clientAddress,
  'X-Forwarded-Host': '%REQ(:AUTHORITY)%',
  'X-Forwarded-Port': String(ir.parsePortKey(table).port),
  'X-Forwarded-Scheme': '%REQ(X-FORWARDED-PROTO)%',
  'X-Scheme': '%REQ(X-FORWARDED-PROTO)%',
});

/** How requests get their ids, as fields of the connection manager. */
export const requestIds = ({ requestId: { mode, inResponse } = {} }: ir.ClientSettings) => ({
  ...((mode === 'Preserve' || mode === 'None') && { generateRequestId: false }),
  ...((mode === 'Preserve' || mode === 'PreserveOrGenerate') && { preserveExternalRequestId: true }),
  ...(inResponse && { alwaysSetRequestIdInResponse: true }),
});

const extension = (name: string, mutations: readonly Mutation[]): Extension => {
  const early = create(EarlyHeaderMutationSchema, { mutations: [...mutations] });
  return { name, typedConfig: packAny(EarlyHeaderMutationSchema, early) };
};

const remove = (value: string): Mutation => ({ action: { case: 'remove', value } });

const written = (key: string, value: string, appendAction: Append): Mutation => ({
  action: { case: 'append', value: { header: { key: key.toLowerCase(), value }, appendAction } },
});

const set = (key: string, value: string): Mutation => written(key, value, Append.OVERWRITE_IF_EXISTS_OR_ADD);

const setIfAbsent = (key: string, value: string): Mutation => written(key, value, Append.ADD_IF_ABSENT);
