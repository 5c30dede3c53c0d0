import type { Table, Visit } from '../../kit/table.ts';
import { type Fields, numberOf, textOf, textsOf, truthOf } from '../../kit/values.ts';
import { durationOf } from './durations.ts';

const active = 'BackendPolicy.healthCheck.active';

/** One of `services` of a route, or of a TraefikService. What names it is read elsewhere. */
export const serviceTable: Table = {
  kind: { aside: 'backendRefs' },
  name: { aside: 'backendRefs' },
  namespace: { aside: 'backendRefs' },
  port: { aside: 'backendRefs' },
  weight: { aside: 'backendRefs' },
  percent: { aside: 'RequestMirror' },
  scheme: { aside: 'BackendTLSPolicy' },
  serversTransport: { aside: 'BackendPolicy and BackendTLSPolicy' },
  nativeLB: {
    by: (value, visit) => {
      if (truthOf(value)) visit.set('BackendPolicy.addressing', 'Service');
    },
    knows: [],
  },
  nodePortLB: { cannot: 'endpoints are pods', unless: false },
  passHostHeader: {
    by: (value, visit) => {
      if (value === false) visit.note('differs', 'the backend sees the host that was asked for');
    },
    knows: [],
  },
  responseForwarding: { none: 'answers are passed on as they come' },
  strategy: {
    by: (value, visit) => {
      const type = textOf(value);
      if (type === 'p2c') visit.set('BackendPolicy.loadBalancer.type', 'LeastRequest');
      else if (type === 'hrw')
        visit.set('BackendPolicy.loadBalancer', { type: 'ConsistentHash', consistentHash: { type: 'SourceIP' } });
      else if (type !== 'wrr' && type !== 'RoundRobin') visit.miss(`${type}: endpoints take turns`);
    },
    knows: [],
  },
  healthCheck: {
    in: {
      path: { to: `${active}.http.path`, as: textOf },
      hostname: { to: `${active}.http.host`, as: textOf },
      method: { to: `${active}.http.method`, as: textOf },
      status: { to: `${active}.http.expectedStatuses`, as: (value) => [{ from: numberOf(value) }] },
      interval: { to: `${active}.interval`, as: durationOf },
      timeout: { to: `${active}.timeout`, as: durationOf },
      unhealthyInterval: { cannot: 'endpoints are checked at one interval' },
      followRedirects: { cannot: 'a redirect is a status', unless: false },
      headers: { cannot: 'checks have no headers of their own' },
      mode: { cannot: 'checks of gRPC are healthCheck.active.grpc of a BackendPolicy', unless: 'http' },
      port: { to: `${active}.port`, as: numberOf },
      scheme: { cannot: 'checks are made as requests are' },
    },
  },
  passiveHealthCheck: {
    in: {
      maxFailedAttempts: { to: 'BackendPolicy.healthCheck.passive.consecutive5xx', as: numberOf },
      failureWindow: { to: 'BackendPolicy.healthCheck.passive.interval', as: durationOf },
    },
  },
  middlewares: { cannot: 'filters are of the rule, and not of one of its backends', blocks: true },
  sticky: {
    in: {
      cookie: {
        by: stickyOf,
        knows: ['name', 'maxAge', 'path'],
        loses: ['domain', 'httpOnly', 'sameSite', 'secure'],
      },
    },
  },
};

function stickyOf(value: unknown, visit: Visit): void {
  const { name, maxAge } = value as { readonly name?: unknown; readonly maxAge?: unknown };
  visit.set('Persistence', {
    sessionName: name === undefined ? 'sticky' : textOf(name),
    type: 'Cookie',
    ...(typeof maxAge === 'number' && maxAge > 0
      ? { absoluteTimeout: `${maxAge}s`, cookieConfig: { lifetimeType: 'Permanent' } }
      : {}),
  });
  visit.note('differs', 'the cookie says the endpoint in words of its own: clients choose once more');
}

/** A ServersTransport: how a backend is spoken to. The draft has names and authorities as `Tls`. */
export const serversTransportTable: Table = {
  serverName: { to: 'Tls.hostname', as: textOf },
  insecureSkipVerify: {
    by: (value, visit) => {
      if (value === true) visit.set('BackendPolicy.tls.verification.mode', 'None');
    },
    knows: [],
  },
  rootCAs: {
    by: (value, visit) =>
      visit.each(value, ({ configMap, secret }, at) => {
        const name = textOf(configMap ?? secret);
        visit.draft.push('Tls.caCertificateRefs', { group: '', kind: 'ConfigMap', name });
        if (configMap === undefined)
          at.note('decision', `write a ConfigMap ${name} with ca.crt of the Secret of that name`);
      }),
    knows: ['[].configMap', '[].secret'],
  },
  rootCAsSecrets: {
    by: (value, visit) => {
      for (const name of textsOf(value)) {
        visit.draft.push('Tls.caCertificateRefs', { group: '', kind: 'ConfigMap', name });
        visit.note('decision', `write a ConfigMap ${name} with ca.crt of the Secret of that name`);
      }
    },
    knows: ['[]'],
  },
  minVersion: { to: 'BackendPolicy.tls.minVersion', as: versionOf },
  maxVersion: { to: 'BackendPolicy.tls.maxVersion', as: versionOf },
  cipherSuites: { cannot: 'write them in words of OpenSSL into tls.cipherSuites of the BackendPolicy' },
  certificatesSecrets: { cannot: 'certificates for backends are of the Gateway: tls.backend' },
  disableHTTP2: { none: 'requests travel by HTTP/1.1, unless the port of the Service says otherwise' },
  forwardingTimeouts: {
    in: {
      dialTimeout: { to: 'BackendPolicy.timeouts.connect', as: durationOf },
      idleConnTimeout: { to: 'BackendPolicy.timeouts.idle', as: durationOf },
      responseHeaderTimeout: { cannot: 'timeouts are for whole answers: timeouts.request' },
      pingTimeout: { none: 'it is of HTTP/2: http2.keepalive of a BackendPolicy' },
      readIdleTimeout: { none: 'it is of HTTP/2: http2.keepalive of a BackendPolicy' },
    },
  },
  maxIdleConnsPerHost: { none: 'connections end by their age' },
  peerCertSANs: {
    by: (value, visit) =>
      visit.each(value, ({ type, value: name }, at) => {
        const kind = textOf(type).toLowerCase();
        if (kind.startsWith('dns')) push(visit, { type: 'Hostname', hostname: textOf(name) });
        else if (kind.startsWith('uri')) push(visit, { type: 'URI', uri: textOf(name) });
        else at.lose('names of a certificate are DNS names and URIs', true);
      }),
    knows: ['[].type', '[].value'],
  },
  peerCertURI: { by: (value, visit) => push(visit, { type: 'URI', uri: textOf(value) }), knows: [] },
  spiffe: { cannot: 'names of a certificate are those of the BackendTLSPolicy: subjectAltNames', blocks: true },
};

const push = (visit: Visit, name: Fields): void => visit.draft.push('Tls.subjectAltNames', name);

/** `VersionTLS12` as `1.2`. */
export function versionOf(value: unknown): string | undefined {
  const [, version] = /^VersionTLS1([0-3])$/.exec(textOf(value)) ?? [];
  return version === undefined ? undefined : `1.${version}`;
}
