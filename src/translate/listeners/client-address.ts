import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  HeaderValueOption_HeaderAppendAction as Append,
  CustomHeaderConfigSchema,
  EarlyHeaderMutationSchema,
  type HeaderMutationSchema,
  packAny,
  type TypedExtensionConfigSchema,
  XffConfigSchema,
} from '../../envoy/index.ts';
import * as ir from '../../ir/index.ts';

type Extension = MessageInitShape<typeof TypedExtensionConfigSchema>;
type Mutation = MessageInitShape<typeof HeaderMutationSchema>;

/** Whose connections a filter chain takes. `all`: no proxies are known. */
export type Peer = 'all' | 'proxy' | 'other';

/** The filter chains of a chain of HTTP: known proxies have one of their own, so that nothing of what others say is taken for theirs. */
export function peersOf({ name, client }: Pick<ir.HttpChain, 'name' | 'client'>): readonly {
  readonly peer: Peer;
  readonly name: string;
  /** Of the connections; undefined: all that no other chain takes. */
  readonly networks?: readonly ir.Cidr[];
}[] {
  if (!client?.trustedProxies) return [{ peer: 'all', name }];
  return [
    { peer: 'other', name },
    { peer: 'proxy', name: `${name}|proxies`, networks: client.trustedProxies.networks },
  ];
}

/** How a connection manager finds the client's address. */
export function addressDetection({ trustedHops = 0, trustedProxies, forwarded }: ir.ClientSettings, peer: Peer) {
  const skips = forwarded?.forwardedFor === 'Keep';
  if (peer !== 'proxy' || !trustedProxies)
    return { useRemoteAddress: true, xffNumTrustedHops: trustedHops, ...(skips && { skipXffAppend: true }) };
  return { useRemoteAddress: false, originalIpDetectionExtensions: [detection(trustedProxies, skips)] };
}

function detection({ networks, header }: ir.TrustedProxies, skipXffAppend: boolean): Extension {
  if (header !== undefined) {
    const custom = create(CustomHeaderConfigSchema, { headerName: header });
    return { name: 'gatewright.client-header', typedConfig: packAny(CustomHeaderConfigSchema, custom) };
  }
  const cidrs = networks.map(({ address, prefixLength }) => ({ addressPrefix: address, prefixLen: prefixLength }));
  const xff = create(XffConfigSchema, { xffTrustedCidrs: { cidrs }, skipXffAppend });
  return { name: 'gatewright.forwarded-for', typedConfig: packAny(XffConfigSchema, xff) };
}

/** What of a request's headers is not to be believed, before anything looks at them. */
export function unbelieved({ trustedProxies, requestId }: ir.ClientSettings, peer: Peer): readonly Extension[] {
  if (peer === 'all' || !trustedProxies) return [];
  const { header } = trustedProxies;
  const keepsIds = requestId?.mode === 'Preserve' || requestId?.mode === 'PreserveOrGenerate';
  const mutations =
    peer === 'proxy' ? ofProxies(keepsIds) : [...ofOthers, ...(header === undefined ? [] : [without(header)])];
  const early = create(EarlyHeaderMutationSchema, { mutations: [...mutations] });
  return [{ name: 'gatewright.unbelieved', typedConfig: packAny(EarlyHeaderMutationSchema, early) }];
}

const without = (value: string): Mutation => ({ action: { case: 'remove', value } });

const withoutPrefix = (value: string): Mutation => ({
  action: { case: 'removeOnMatch', value: { keyMatcher: { matchPattern: { case: 'prefix', value } } } },
});

const ofOthers = ir.forwardingHeaders.map((name) => (name.endsWith('-') ? withoutPrefix(name) : without(name)));

const forwardedFor = 'x-forwarded-for';
const written = `request.headers['${forwardedFor}']`;
const last = ir.mostForwarded;

/**
 * Envoy 1.40 gives up on more than 20 entries and takes the connection's address, which is the proxy's. So the list is cut first: a client that sends a long one
 * must not pass for a proxy. An empty value changes nothing.
 */
const lastForwarded = `%CEL('${forwardedFor}' in request.headers && ${written}.matches('(,[^,]*){${last}}') ? re.extract(${written}, '([^,]*,){${last - 1}}[^,]*$', '\\\\0') : '')%`;

/** Where Envoy does not take the address from the connection, it takes these from the client as well. */
const ofProxies = (keepsIds: boolean): readonly Mutation[] => [
  withoutPrefix('x-envoy-'),
  ...(keepsIds ? [] : [without('x-request-id')]),
  {
    action: {
      case: 'append',
      value: {
        header: { key: forwardedFor, value: lastForwarded },
        appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD,
      },
    },
  },
];

/** By which backends learn the address. Envoy writes it where it takes the address from connections. */
export const addressHeader = (peer: Peer): readonly Mutation[] =>
  peer === 'proxy'
    ? [
        {
          action: {
            case: 'append',
            value: {
              header: { key: 'x-envoy-external-address', value: '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%' },
              appendAction: Append.OVERWRITE_IF_EXISTS_OR_ADD,
            },
          },
        },
      ]
    : [];
