import { compareSpecificity, coversHostname, type ObjectByKind, type ObjectKey } from '../../gateway-api/index.ts';
import type { Fields } from '../features/part.ts';
import type { IngressFault, Lookup } from './options.ts';

type Listener = ObjectByKind['Gateway']['spec']['listeners'][number];

/** The listeners of a Gateway by which Ingresses are served. */
export interface GatewayListeners {
  /** The one without a hostname. */
  readonly http: { readonly name: string; readonly port: number };
  /** Those of hosts without a certificate of their own, of one port, the most specific first. */
  readonly https: readonly HttpsListener[];
}

export interface HttpsListener {
  readonly name: string;
  readonly port: number;
  /** Empty: it is for all hosts. */
  readonly hostname: string;
  /** As the Gateway names them, with their namespaces. */
  readonly certificateRefs: readonly Fields[];
}

export function gatewayListeners(
  gateway: ObjectKey,
  lookup: Lookup,
): GatewayListeners | { readonly fault: IngressFault } {
  const fault = (message: string) => ({ fault: { reason: 'NoGateway', message, isWhole: true as const } });
  const found = lookup.find('Gateway', gateway) as ObjectByKind['Gateway'] | undefined;
  if (found === undefined) return fault(`Gateway ${gateway}, which its class is served by, does not exist`);
  const http = found.spec.listeners.find(({ protocol, hostname }) => protocol === 'HTTP' && !hostname);
  if (http === undefined)
    return fault(`Gateway ${gateway} has no listener of protocol HTTP without hostname, which Ingresses need: add one`);
  return { http: { name: http.name, port: http.port }, https: httpsListeners(found) };
}

function httpsListeners({ metadata, spec }: ObjectByKind['Gateway']): readonly HttpsListener[] {
  const all = spec.listeners
    .filter(({ protocol, tls }) => protocol === 'HTTPS' && tls?.mode !== 'Passthrough')
    .map((listener) => httpsListener(listener, metadata.namespace ?? ''))
    .sort((a, b) => b.hostname.length - a.hostname.length || compareSpecificity(a.hostname, b.hostname));
  const port = all.at(-1)?.port;
  return all.filter((each) => each.port === port);
}

const httpsListener = ({ name, port, hostname = '', tls }: Listener, namespace: string): HttpsListener => ({
  name,
  port,
  hostname: hostname.toLowerCase(),
  certificateRefs: (tls?.certificateRefs ?? []).map((reference) => ({ namespace, ...reference })),
});

/** The listener of the Gateway that proxies take for a host. An empty host: all those that nothing else is for. */
export const httpsListenerOf = ({ https }: GatewayListeners, host: string): HttpsListener | undefined =>
  https.find(({ hostname }) => hostname === '' || coversHostname(hostname, host));
