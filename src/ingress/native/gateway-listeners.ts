import type { ObjectByKind, ObjectKey } from '../../gateway-api/index.ts';
import type { IngressFault, Lookup } from './options.ts';

/** The listeners of a Gateway by which Ingresses are served: those without a hostname. */
export interface GatewayListeners {
  readonly http: { readonly name: string; readonly port: number };
  /** Of hosts without a certificate of their own. */
  readonly https: { readonly name: string; readonly port: number } | undefined;
}

export function gatewayListeners(
  gateway: ObjectKey,
  lookup: Lookup,
): GatewayListeners | { readonly fault: IngressFault } {
  const fault = (message: string) => ({ fault: { reason: 'NoGateway', message, isWhole: true as const } });
  const found = lookup.find('Gateway', gateway) as ObjectByKind['Gateway'] | undefined;
  if (found === undefined) return fault(`Gateway ${gateway}, which its class is served by, does not exist`);
  const open = found.spec.listeners.filter(({ hostname }) => hostname === undefined || hostname === '');
  const http = open.find(({ protocol }) => protocol === 'HTTP');
  const https = open.find(({ protocol, tls }) => protocol === 'HTTPS' && tls?.mode !== 'Passthrough');
  if (http === undefined)
    return fault(`Gateway ${gateway} has no listener of protocol HTTP without hostname, which Ingresses need: add one`);
  return { http: place(http), https: https && place(https) };
}

const place = ({ name, port }: { readonly name: string; readonly port: number }) => ({ name, port });
