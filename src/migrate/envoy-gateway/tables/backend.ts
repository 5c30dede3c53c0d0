import type { Table, Visit } from '../../kit/table.ts';
import { type Fields, fieldsOf, listOf, numberOf, textOf } from '../../kit/values.ts';
import { tlsTable } from './client-traffic.ts';

const ours = 'it is of BackendTLSPolicies of Services here, and of the Gateway';

/**
 * A Backend: an XBackend for one name, a Service with EndpointSlices for addresses, a DynamicBackend for names that requests say. The draft has
 * them as `XBackend`, `Addresses` and `DynamicBackend`, and what is of TLS as `BackendPolicy`.
 */
export const backend: Table = {
  type: {
    by: (value, visit) => {
      if (value !== 'DynamicResolver') return;
      visit.set('DynamicBackend', { hosts: ['*'], tls: { mode: 'None' } });
      visit.note(
        'decision',
        'list the hosts that requests may name in `hosts`: clients choose among them. Private addresses stay closed',
      );
    },
    knows: [],
  },
  appProtocols: {
    by: (value, visit) => {
      for (const protocol of listOf(value))
        if (protocol === 'gateway.envoyproxy.io/h2c') visit.set('Protocol.name', 'H2C');
        else visit.note('no-effect', 'WebSockets pass always');
    },
    knows: [],
  },
  endpoints: {
    by: endpointsOf,
    knows: ['[].fqdn.hostname', '[].fqdn.port', '[].ip.address', '[].ip.port', '[].unix', '[].zone', '[].hostname'],
  },
  fallback: { aside: 'failover of the BackendPolicies of the other backends of a rule' },
  tls: {
    in: {
      ...tlsTable('BackendPolicy'),
      caCertificateRefs: { to: 'Tls.validation.caCertificateRefs' },
      wellKnownCACertificates: { to: 'Tls.validation.wellKnownCACertificates' },
      sni: { to: 'Tls.validation.hostname', as: textOf },
      autoSNIFromEndpointHostname: { aside: 'the name of the XBackend is asked for unless `sni` says another one' },
      insecureSkipVerify: {
        by: (value, visit) => {
          if (value === true) visit.set('BackendPolicy.tls.verification.mode', 'None');
        },
        knows: [],
      },
      clientCertificateRef: { to: 'Tls.clientCertificateRef' },
      alpnProtocols: { cannot: ours },
      signatureAlgorithms: { cannot: ours },
    },
  },
};

function endpointsOf(value: unknown, visit: Visit): void {
  const all = listOf(value).map(fieldsOf);
  for (const [index, { zone, hostname }] of all.entries()) {
    if (zone !== undefined) visit.at(`[${index}].zone`).miss('zones are those of EndpointSlices');
    if (hostname !== undefined)
      visit.at(`[${index}].hostname`).miss('the host of the backend is the one that is asked for');
  }
  if (all.some(({ unix }) => unix !== undefined)) {
    visit.lose('sockets of the proxy’s own machine are not reached');
    return;
  }
  const names = all.flatMap(({ fqdn }) => (fqdn === undefined ? [] : [fieldsOf(fqdn)]));
  const addresses = all.flatMap(({ ip }) => (ip === undefined ? [] : [fieldsOf(ip)]));
  if (names.length > 1 || (names.length > 0 && addresses.length > 0)) {
    visit.lose('an XBackend has one name: write one for each, with weights in the rule');
    return;
  }
  const [name] = names;
  if (name !== undefined) {
    visit.set('XBackend.externalHostname.hostname', textOf(name.hostname).replace(/\.$/, ''));
    visit.set('XBackend.port.number', numberOf(name.port));
    return;
  }
  const ports = new Set(addresses.map(({ port }) => numberOf(port)));
  if (ports.size > 1) {
    visit.lose('addresses of one Service have one port here');
    return;
  }
  const [port] = ports;
  if (port === undefined) return;
  visit.set('Addresses', { port, addresses: addresses.map(({ address }) => textOf(address)) });
}

/** The TLS of an XBackend, as far as the table wrote it. */
export function tlsOf(spec: Fields, visit: Visit): Fields | undefined {
  if (spec.tls === undefined) return undefined;
  const { validation = {}, clientCertificateRef } = (visit.draft.of('Tls') ?? {}) as {
    readonly validation?: Fields;
    readonly clientCertificateRef?: Fields;
  };
  const hostname = visit.draft.get('XBackend.externalHostname.hostname');
  const authorities =
    validation.caCertificateRefs === undefined && validation.wellKnownCACertificates === undefined
      ? { wellKnownCACertificates: 'System' }
      : {};
  return {
    mode: clientCertificateRef === undefined ? 'ServerOnly' : 'ClientAndServer',
    validation: { hostname, ...authorities, ...validation },
    ...(clientCertificateRef !== undefined && { clientCertificateRef }),
  };
}
