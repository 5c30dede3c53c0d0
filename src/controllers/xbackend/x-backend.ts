import { experimentalGroup, type ObjectByKind } from '../../gateway-api/index.ts';
import { forbiddenHost, resolveValidation } from '../../graph/backends/index.ts';
import { type AuthorityRef, grantedSecret } from '../../graph/certificates/index.ts';
import type { StoredObjects } from '../../graph/engine/index.ts';
import {
  type BackendUser,
  backendKey,
  type ConditionFault,
  combineFaults,
  type ResolvedBackend,
} from '../../graph/model/index.ts';
import * as ir from '../../ir/index.ts';

export type XBackendObject = ObjectByKind['XBackend'];
type Tls = NonNullable<XBackendObject['spec']['tls']>;

/** Where the reference of a route to an XBackend leads. Source: GEP-4894. */
export function resolveXBackend(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  user: BackendUser,
  store: StoredObjects,
): ResolvedBackend {
  const where = `XBackend ${namespace}/${name}`;
  const fault = (reason: string, message: string): ResolvedBackend => ({ fault: { reason, message } });
  const object = store.find('XBackend', `${namespace}/${name}`);
  if (!object) return fault('BackendNotFound', `${where} does not exist`);
  const protocolProblem = protocolFault(object, user);
  if (protocolProblem) return fault('UnsupportedProtocol', `${where} ${protocolProblem}`);
  const { externalHostname, protocol } = object.spec;
  const { stream, http2 = false, asked } = user.variant ?? {};
  const key = keyOfXBackend(object, { stream, http2: http2 && !speaksHttp2(protocol), asked });
  return { key, ...(externalHostname && { host: externalHostname.hostname }) };
}

/** Every XBackend has one port, which identifies its backends, whatever their variant. */
export const keyOfXBackend = (
  { metadata, spec }: XBackendObject,
  variant: {
    readonly stream?: 'plain' | 'tcp' | undefined;
    readonly http2?: boolean;
    readonly asked?: ir.AskedAs | undefined;
  } = {},
): string =>
  backendKey(metadata.namespace ?? '', metadata.name, spec.port.number ?? 0, {
    source: spec.type === 'ExternalHostname' ? 'external' : 'pods',
    ...(variant.stream && { stream: variant.stream }),
    ...(variant.http2 && { http2: true }),
    ...(variant.asked && { asked: variant.asked }),
  });

const speaksHttp2 = (protocol: XBackendObject['spec']['protocol']): boolean =>
  protocol === 'HTTP2' || protocol === 'H2C' || protocol === 'GRPC';

function protocolFault({ spec: { protocol } }: XBackendObject, { kind, variant }: BackendUser): string | undefined {
  if (kind === 'UDPRoute') return 'cannot be reached by UDP: use a Service';
  if (variant?.stream) return undefined;
  if (protocol === 'TCP')
    return `has protocol TCP, which ${kind}s do not speak: set an HTTP protocol, or use a TCPRoute`;
  if (variant?.http2 && protocol === 'HTTP11')
    return `has protocol HTTP11, and gRPC needs HTTP/2: set GRPC, H2C or HTTP2`;
  return undefined;
}

/** What an XBackend comes to now, and what is wrong with it. */
export interface ResolvedXBackend {
  readonly tls?: ir.BackendTls;
  readonly acceptFault?: ConditionFault;
  readonly referenceFault?: ConditionFault;
}

/** Why nothing is sent to the host outside that an XBackend names. */
export function hostFaultOfXBackend(object: XBackendObject, store: StoredObjects): ConditionFault | undefined {
  const host = object.spec.externalHostname?.hostname;
  return host === undefined ? undefined : forbiddenHost(object, { field: 'externalHostname.hostname', host }, store);
}

/** TLS as an XBackend wants it; with a fault no connection may be made at all. */
export function resolveXBackendTls({ metadata, spec }: XBackendObject, store: StoredObjects): ResolvedXBackend {
  const { mode = 'None', validation } = spec.tls ?? {};
  if (mode === 'None' || !validation) return {};
  const namespace = metadata.namespace ?? '';
  const { tls, acceptFault, referenceFault } = resolveValidation(validation, { kind: 'XBackend', namespace }, store);
  const own = mode === 'ClientAndServer' ? clientCertificate(spec.tls as Tls, namespace, store) : undefined;
  const certificateFault = own && 'fault' in own ? own.fault : undefined;
  const accept = combineFaults([acceptFault, certificateFault].flatMap((fault) => fault ?? []));
  const reference = combineFaults([referenceFault, certificateFault].flatMap((fault) => fault ?? []));
  const faults = { ...(accept && { acceptFault: accept }), ...(reference && { referenceFault: reference }) };
  if (!tls || certificateFault) return faults;
  return { tls: { ...tls, ...(own && 'secret' in own && { ownCertificate: certificateOf(own.secret) }) }, ...faults };
}

/** Its version stands for the bytes, which are left out of what names content. */
const certificateOf = (secret: ir.Secret): ir.OwnCertificate => ({
  secret,
  version: ir.formatDigest(ir.digestOf(secret)),
});

function clientCertificate(
  tls: Tls,
  ownNamespace: string,
  store: StoredObjects,
): { readonly secret: ir.Secret } | { readonly fault: ConditionFault } {
  const reason = 'InvalidClientCertificateRef';
  const { group = '', kind = 'Secret', namespace = ownNamespace, name = '' } = tls.clientCertificateRef ?? {};
  if (group === '' && kind === 'Secret')
    return grantedSecret(
      { group: experimentalGroup, kind: 'XBackend', namespace: ownNamespace },
      { namespace, name, reason },
      store,
    );
  const named = `${group ? `${group}/` : ''}${kind} ${name}`;
  return { fault: { reason, message: `tls.clientCertificateRef names a ${named}: only core Secrets are supported` } };
}

/** The Secret that it shows to its endpoints, as `NAMESPACE/NAME`, wherever it leads. */
export function secretOfXBackend({ metadata, spec }: XBackendObject): string | undefined {
  const ref = spec.tls?.clientCertificateRef;
  return ref && `${ref.namespace ?? metadata.namespace}/${ref.name}`;
}

/** The authorities it trusts, wherever they lead. */
export const authoritiesOfXBackend = ({ metadata, spec }: XBackendObject): AuthorityRef[] =>
  (spec.tls?.validation?.caCertificateRefs ?? []).map((ref) => ({ ...ref, namespace: metadata.namespace ?? '' }));

/** How its endpoints are spoken to. WebSocket and MCP are HTTP/1.1 here. */
export function protocolOfXBackend(
  { spec: { protocol } }: XBackendObject,
  { stream, http2 }: { readonly stream?: 'plain' | 'tcp'; readonly http2?: boolean },
): ir.BackendProtocol {
  if (stream) return 'tcp';
  return http2 || speaksHttp2(protocol) ? 'h2c' : 'http1';
}
