import type { Table, Visit } from '../../kit/table.ts';
import { bytesOf, type Fields, fieldsOf, listOf, textOf, textsOf } from '../../kit/values.ts';
import { clientValidation } from './client-certificates.ts';
import { http2Table, keepaliveTable } from './connections.ts';
import { targetFields } from './targets.ts';

const version = (value: unknown): unknown => (value === 'Auto' ? undefined : value);

const ciphers = new Set([
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-RSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA',
  'ECDHE-RSA-AES256-SHA',
  'AES128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'AES128-SHA',
  'AES256-SHA',
]);
const curves = new Set(['X25519MLKEM768', 'X25519', 'P-256', 'P-384', 'P-521']);
const protocols = new Set(['h2', 'http/1.1']);

/** The texts of a list that are known here. */
const knownOf = (known: ReadonlySet<string>) => (value: unknown, visit: Visit) => {
  const all = textsOf(value);
  for (const text of all.filter((each) => !known.has(each))) visit.miss(`${text} is not offered`);
  const kept = all.filter((text) => known.has(text));
  return kept.length > 0 ? kept : undefined;
};

/** TLS that clients and backends have in common: names are the same in both policies. */
export const tlsTable = (kind: string): Table => ({
  minVersion: { to: `${kind}.tls.minVersion`, as: version },
  maxVersion: { to: `${kind}.tls.maxVersion`, as: version },
  ciphers: { to: `${kind}.tls.cipherSuites`, as: knownOf(ciphers) },
  ecdhCurves: { to: `${kind}.tls.curves`, as: knownOf(curves) },
  fingerprints: {
    cannot: 'fingerprints are headers of requests here: headers.forwarded.add of a ListenerPolicy',
  },
});

const headerRules = (direction: 'request' | 'response'): Table => {
  const to = `ListenerPolicy.headers.${direction}`;
  return {
    set: { to: `${to}.set` },
    add: { to: `${to}.add` },
    addIfAbsent: { to: `${to}.ifAbsent` },
    remove: { to: `${to}.remove` },
    removeOnMatch: {
      by: (value, visit) => {
        visit.each(value, ({ type = 'Exact', value: text }, at) => {
          if (type === 'Exact') visit.draft.push(`${to}.remove`, textOf(text));
          else if (type === 'Prefix') visit.draft.push(`${to}.removeMatching`, { prefix: textOf(text) });
          else at.lose(`headers are not removed by ${textOf(type)}`);
        });
      },
      knows: ['[].type', '[].value'],
    },
  };
};

const lookup = (words: Readonly<Record<string, string>>) => (value: unknown) => words[textOf(value)];

/** A ClientTrafficPolicy as a ListenerPolicy; certificates of clients are of the Gateway and of an AccessPolicy. */
export const clientTrafficPolicy: Table = {
  ...targetFields,
  clientIPDetection: {
    in: {
      xForwardedFor: {
        in: {
          numTrustedHops: { to: 'ListenerPolicy.clientIP.trustedHops' },
          trustedCIDRs: { to: 'ListenerPolicy.clientIP.trustedCIDRs' },
          disableXForwardedForAppend: {
            by: (value, visit) => {
              if (value === true) visit.set('ListenerPolicy.headers.forwarded.forwardedFor', 'Keep');
            },
            knows: [],
          },
        },
      },
      customHeader: {
        decide:
          'a header says the address of clients behind known proxies alone: set clientIP.trustedCIDRs and clientIP.header. Until then the client is the proxy',
      },
      directSourceIP: { none: 'the client’s address is that of its connection' },
    },
  },
  connection: {
    in: {
      bufferLimit: { to: 'ListenerPolicy.limits.bufferBytes', as: bytesOf },
      socketBufferLimit: { cannot: 'buffers of sockets are the system’s' },
      maxAcceptPerSocketEvent: {
        to: 'ListenerPolicy.limits.acceptsPerEvent',
        as: (value) => (value === 0 ? undefined : value),
      },
      connectionLimit: {
        in: {
          value: { to: 'ListenerPolicy.limits.maxConnections' },
          closeDelay: { to: 'ListenerPolicy.limits.closeDelay' },
          maxConnectionDuration: { to: 'ListenerPolicy.timeouts.maxConnectionDuration' },
          maxRequestsPerConnection: { to: 'ListenerPolicy.limits.maxRequestsPerConnection' },
          maxStreamDuration: { to: 'ListenerPolicy.timeouts.maxStreamDuration' },
        },
      },
    },
  },
  enableProxyProtocol: {
    to: 'ListenerPolicy.clientIP.proxyProtocol',
    as: (value) => (value === true ? 'Required' : undefined),
  },
  proxyProtocol: {
    by: (value, visit) =>
      visit.set('ListenerPolicy.clientIP.proxyProtocol', fieldsOf(value).optional === true ? 'Optional' : 'Required'),
    knows: ['optional'],
  },
  grpc: {
    in: {
      enableWeb: {
        by: (value, visit) => {
          if (value === true) visit.set('TrafficPolicy.grpcWeb', {});
        },
        knows: [],
      },
    },
  },
  headers: {
    in: {
      disableRateLimitHeaders: { none: 'answers have such headers only where a bucket of a RateLimitPolicy says so' },
      earlyRequestHeaders: { in: headerRules('request') },
      lateResponseHeaders: { in: headerRules('response') },
      enableEnvoyHeaders: { to: 'ListenerPolicy.headers.envoyHeaders' },
      preserveXRequestID: {
        to: 'ListenerPolicy.headers.requestID.mode',
        as: (value) => (value === true ? 'PreserveOrGenerate' : undefined),
      },
      requestID: {
        to: 'ListenerPolicy.headers.requestID.mode',
        as: (value) => (value === 'Disable' ? 'None' : textOf(value)),
      },
      host: {
        in: {
          stripTrailingHostDot: {
            to: 'ListenerPolicy.headers.hostTrailingDot',
            as: (value) => (value === true ? 'Strip' : undefined),
          },
        },
      },
      withUnderscoresAction: {
        to: 'ListenerPolicy.headers.underscores',
        as: lookup({ Allow: 'Allow', RejectRequest: 'Reject', DropHeader: 'Drop' }),
      },
      xForwardedClientCert: { by: shownCertificateOf, knows: ['mode', 'certDetailsToAdd'] },
    },
  },
  healthCheck: { in: { path: { to: 'ListenerPolicy.healthCheck.path' } } },
  http1: {
    in: {
      http10: { by: (value, visit) => http10Of(fieldsOf(value), visit), knows: ['useDefaultHost'] },
      enableTrailers: { to: 'ListenerPolicy.http1.trailers' },
      preserveHeaderCase: {
        to: 'ListenerPolicy.http1.headerCase',
        as: (value) => (value === true ? 'Preserve' : undefined),
      },
      disableSafeMaxConnectionDuration: { none: 'an old connection ends when its request has ended' },
      ignoredUpgradeTypes: {
        by: (value, visit) =>
          visit.each(value, ({ type = 'Exact', value: text }, at) => {
            if (type === 'Exact') visit.draft.push('ListenerPolicy.http1.ignoredUpgrades', textOf(text));
            else at.miss('protocols are listed by their whole names');
          }),
        knows: ['[].type', '[].value'],
      },
    },
  },
  http2: { in: http2Table('ListenerPolicy') },
  http3: { by: (_, visit) => visit.set('ListenerPolicy.http3', { enabled: true }), knows: [] },
  path: {
    in: {
      disableMergeSlashes: {
        to: 'ListenerPolicy.path.mergeSlashes',
        as: (value) => (value === true ? false : undefined),
      },
      escapedSlashesAction: {
        to: 'ListenerPolicy.path.escapedSlashes',
        as: lookup({
          KeepUnchanged: 'Keep',
          RejectRequest: 'Reject',
          UnescapeAndForward: 'UnescapeAndForward',
          UnescapeAndRedirect: 'UnescapeAndRedirect',
        }),
      },
    },
  },
  scheme: {
    to: 'ListenerPolicy.headers.scheme',
    as: (value) => (value === 'MatchBackend' ? 'Backend' : undefined),
  },
  tcpKeepalive: { in: keepaliveTable('ListenerPolicy') },
  timeout: {
    in: {
      http: {
        in: {
          idleTimeout: { to: 'ListenerPolicy.timeouts.connectionIdle' },
          requestHeadersReceivedTimeout: { to: 'ListenerPolicy.timeouts.requestHeaders' },
          requestReceivedTimeout: { to: 'ListenerPolicy.timeouts.request' },
          streamIdleTimeout: { to: 'ListenerPolicy.timeouts.streamIdle' },
        },
      },
      tcp: {
        in: {
          idleTimeout: { to: 'ListenerPolicy.timeouts.tcpIdle' },
          tlsHandshakeTimeout: { to: 'ListenerPolicy.tls.handshakeTimeout' },
          connectionInspectionTimeout: { none: 'tls.handshakeTimeout counts from the first byte' },
        },
      },
    },
  },
  tls: {
    in: {
      ...tlsTable('ListenerPolicy'),
      alpnProtocols: { to: 'ListenerPolicy.tls.alpnProtocols', as: knownOf(protocols) },
      signatureAlgorithms: { to: 'ListenerPolicy.tls.signatureAlgorithms' },
      session: { in: { resumption: { to: 'ListenerPolicy.tls.sessionResumption', as: resumptionOf } } },
      clientValidation: { in: clientValidation },
    },
  },
};

function resumptionOf(value: unknown): string {
  const { stateless, stateful } = fieldsOf(value);
  if (stateless !== undefined) return stateful === undefined ? 'Tickets' : 'All';
  return stateful === undefined ? 'None' : 'IDs';
}

function shownCertificateOf(value: unknown, visit: Visit): void {
  const { mode = 'Sanitize', certDetailsToAdd = [] } = fieldsOf(value);
  if (mode === 'Sanitize') return;
  const hasPins = visit.draft.get('ListenerPolicy.tls.clientPins') !== undefined;
  if (mode === 'AlwaysForwardOnly' || (mode !== 'SanitizeSet' && !hasPins)) {
    visit
      .at('mode')
      .miss('what proxies in front write into X-Forwarded-Client-Cert is kept only where tls.clientPins names them');
    return;
  }
  if (mode !== 'SanitizeSet') {
    visit.set('ListenerPolicy.headers.clientCertificate', mode === 'AppendForward' ? 'Append' : 'Keep');
    return;
  }
  const details = listOf(certDetailsToAdd);
  const whole = details.includes('Chain') ? 'ForwardChain' : 'ForwardCertificate';
  const some = details.includes('Chain') || details.includes('Cert');
  visit.set('ListenerPolicy.headers.clientCertificate', some ? whole : 'Forward');
}

function http10Of({ useDefaultHost }: Fields, visit: Visit): void {
  visit.set('ListenerPolicy.http1.allowHTTP10', true);
  if (useDefaultHost === true)
    visit.at('useDefaultHost').note('decision', 'write the host of requests without one into http1.defaultHost');
}
