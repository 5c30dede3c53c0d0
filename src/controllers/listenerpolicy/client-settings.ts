import { keyOf, type ObjectByKind } from '../../gateway-api/index.ts';
import { resolveRevocationLists, revocationListRef } from '../../graph/certificates/index.ts';
import type { Store } from '../../graph/engine/index.ts';
import type { ListenerRevocation, PortSettings, ResolvedSettings } from '../../graph/model/index.ts';
import { type ConditionFault, defined } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { parseDurationMs } from '../../std/index.ts';
import { cidrFaults, cidrsOf, http1Of, keepaliveOf, pingsOf } from '../policies/index.ts';
import { clientHeaders } from './client-headers.ts';
import { logFaultsOf, observingOf } from './observing.ts';

type Policy = ObjectByKind['ListenerPolicy'];
type Spec = Policy['spec'];

const dayMs = 24 * 3_600_000;

/** A policy with its references followed. */
export function settingsOf(policy: Policy, store: Store): ResolvedSettings {
  const { spec } = policy;
  const observing = observingOf(policy, store);
  const headers = clientHeaders(spec);
  const client = { ...clientOf(spec, observing.tracing), ...headers.settings };
  const wrongAddresses = addressFaults(spec);
  const tls = spec.tls && filled(tlsOf(spec.tls));
  const revoked = revocationOf(policy, store);
  return {
    policy: keyOf(policy),
    port: portSettings(spec),
    ...defined<Settings>({
      tls,
      clientPins: pinsOf(spec.tls?.clientPins),
      revocation: revoked.fault ? 'unavailable' : revoked.revocation,
      client: filled(client),
      maxConnections: spec.limits?.maxConnections,
      closeDelayMs: ms(spec.limits?.closeDelay) || undefined,
      tcpIdleMs: ms(spec.timeouts?.tcpIdle),
      accessLog: observing.accessLog,
      http3: spec.http3?.enabled
        ? {
            ...defined<{ advertisedPort?: number; maxConcurrentStreams?: number }>({
              advertisedPort: spec.http3.advertisedPort,
              maxConcurrentStreams: spec.http3.maxConcurrentStreams,
            }),
            maxAgeSeconds: Math.round((ms(spec.http3.advertisedFor) ?? dayMs) / 1000),
          }
        : undefined,
    }),
    ...((wrongAddresses.length > 0 || headers.isClosed) && { isClosed: true }),
    faults: [...wrongAddresses, ...pinFaults(spec), ...headers.faults, ...logFaultsOf(policy)],
    backends: observing.backends,
    referenceFaults: [...observing.faults, ...(revoked.fault ? [revoked.fault] : [])],
  };
}

type Settings = Omit<ResolvedSettings, 'policy' | 'port' | 'isClosed' | 'faults' | 'backends' | 'referenceFaults'>;

interface Revocation {
  readonly revocation?: ListenerRevocation;
  readonly fault?: ConditionFault;
}

function revocationOf(policy: Policy, store: Store): Revocation {
  const ref = revocationListRef(policy);
  if (!ref) return {};
  const lists = resolveRevocationLists(ref, store);
  if ('fault' in lists) {
    const message = `tls.crlRef: ${lists.fault}; until then no client comes in at listeners that ask for certificates`;
    return { fault: { reason: 'InvalidCRLRef', message } };
  }
  return { revocation: { lists, ...(policy.spec.tls?.crlCheck === 'Leaf' && { leafOnly: true }) } };
}

function portSettings({ clientIP, limits, tcpKeepalive }: Spec): PortSettings {
  const { proxyProtocol = 'Off' } = clientIP ?? {};
  return defined<PortSettings>({
    proxyProtocol: proxyProtocol === 'Off' ? undefined : proxyProtocol === 'Required' ? 'required' : 'optional',
    bufferBytes: limits?.bufferBytes,
    acceptsPerEvent: limits?.acceptsPerEvent,
    keepalive: tcpKeepalive && keepaliveOf(tcpKeepalive),
  });
}

const tlsOf = (tls: NonNullable<Spec['tls']>): ir.TlsParameters =>
  defined<ir.TlsParameters>({
    minVersion: tls.minVersion,
    maxVersion: tls.maxVersion,
    cipherSuites: tls.cipherSuites,
    curves: tls.curves,
    alpnProtocols: tls.alpnProtocols,
    handshakeTimeoutMs: ms(tls.handshakeTimeout),
    signatureAlgorithms: tls.signatureAlgorithms,
    resumption: resumptions[tls.sessionResumption ?? 'All'],
  });

const pinsOf = (pins: NonNullable<Spec['tls']>['clientPins']): ir.CertificatePins | undefined =>
  pins && {
    certificates: (pins.certificateHashes ?? []).map((hash) => hash.toLowerCase()),
    publicKeys: pins.publicKeyHashes ?? [],
  };

/** Any client could say that it speaks for another one. */
function pinFaults({ tls, headers }: Spec): ConditionFault[] {
  const mode = headers?.clientCertificate;
  if ((mode !== 'Keep' && mode !== 'Append') || tls?.clientPins) return [];
  const message = `headers.clientCertificate: ${mode} takes the word of proxies in front: name their certificates in tls.clientPins; until then what clients send in the header is removed`;
  return [{ reason: 'Invalid', message }];
}

const resumptions = { All: undefined, Tickets: 'tickets', IDs: 'ids', None: 'none' } as const;

const certificateHeaders = {
  None: undefined,
  Forward: 'names',
  ForwardCertificate: 'certificate',
  ForwardChain: 'chain',
  Keep: 'keep',
  Append: 'append',
} as const;

const timeoutsOf = (timeouts: NonNullable<Spec['timeouts']>): ir.ClientTimeouts =>
  defined<ir.ClientTimeouts>({
    requestHeadersMs: ms(timeouts.requestHeaders),
    requestMs: ms(timeouts.request),
    streamIdleMs: ms(timeouts.streamIdle),
    connectionIdleMs: ms(timeouts.connectionIdle),
    maxConnectionDurationMs: ms(timeouts.maxConnectionDuration),
    maxStreamDurationMs: ms(timeouts.maxStreamDuration) || undefined,
  });

const ownHttp1Of = ({
  allowHTTP10,
  defaultHost,
  upgrades,
  ignoredUpgrades,
  ...more
}: NonNullable<Spec['http1']>): ir.Http1Settings => ({
  ...(allowHTTP10 && { http10: defaultHost === undefined ? {} : { defaultHost } }),
  ...http1Of(more),
  ...(upgrades && { upgrades }),
  ...(ignoredUpgrades && { ignoredUpgrades }),
});

const http2Of = ({ keepalive, onInvalidMessage, ...settings }: NonNullable<Spec['http2']>): ir.Http2Settings => ({
  ...settings,
  ...(onInvalidMessage === 'ResetStream' && { invalidEndsStream: true }),
  ...(keepalive && { keepalive: pingsOf(keepalive) }),
});

const limitsOf = (limits: NonNullable<Spec['limits']>): ir.ClientLimits =>
  defined<ir.ClientLimits>({
    requestHeadersKiB: limits.maxRequestHeadersKiB,
    requestHeaders: limits.maxRequestHeaders,
    requestsPerConnection: limits.maxRequestsPerConnection,
  });

const filled = <T extends object>(fields: T): T | undefined => (Object.keys(fields).length > 0 ? fields : undefined);

function clientOf(
  { timeouts, limits, http1, http2, headers, path, healthCheck, clientIP }: Spec,
  tracing: ir.Tracing | undefined,
): ir.ClientSettings {
  return defined<ir.ClientSettings>({
    timeouts: timeouts && filled(timeoutsOf(timeouts)),
    limits: limits && filled(limitsOf(limits)),
    http1: http1 && filled(ownHttp1Of(http1)),
    http2: http2 && http2Of(http2),
    underscores: headers?.underscores,
    trailingDot: headers?.hostTrailingDot,
    clientCertificateHeader: certificateHeaders[headers?.clientCertificate ?? 'None'],
    schemeOfBackend: headers?.scheme === 'Backend' || undefined,
    path: path && { ...path },
    healthPath: healthCheck?.path,
    trustedHops: clientIP?.trustedHops || undefined,
    trustedProxies: trustedProxiesOf(clientIP),
    tracing,
  });
}

function trustedProxiesOf({ trustedCIDRs, header }: NonNullable<Spec['clientIP']> = {}): ir.TrustedProxies | undefined {
  const found = cidrsOf(trustedCIDRs ?? []);
  const networks = [...new Map(found.map((cidr) => [`${cidr.address}/${cidr.prefixLength}`, cidr])).values()];
  return networks.length === 0 ? undefined : { networks, ...(header && { header: header.toLowerCase() }) };
}

/** Without the proxies that are meant, every client would have the address of one. */
const addressFaults = ({ clientIP }: Spec): ConditionFault[] =>
  cidrFaults('clientIP.trustedCIDRs', clientIP?.trustedCIDRs).map((message) => ({
    reason: 'Invalid',
    message: `${message}; until then its HTTP and HTTPS listeners end all connections`,
  }));

const ms = (duration: string | undefined): number | undefined =>
  duration === undefined ? undefined : parseDurationMs(duration);
