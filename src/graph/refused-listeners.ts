import * as ir from '../ir/index.ts';
import { combineFaults, type Fault } from './condition.ts';
import type { SettledFleet } from './fleet.ts';
import { clientCertificateKey, type SettledGateway } from './gateway.ts';
import type { SettledListener } from './listener.ts';
import { isOfThePlace, type Quarantine, type Refusal, refusalFault, shortened } from './quarantine.ts';

/** What proxies serve, without what they refuse of it. */
export interface AllowedFleet {
  readonly listeners: ReadonlyMap<string, ir.Listener>;
  readonly secrets: ReadonlyMap<string, ir.Secret>;
  /** Whether anything is refused. */
  readonly isRefused: boolean;
  /** Why a listener is not programmed, for what was refused. */
  readonly faultOf: (listener: SettledListener) => Fault | undefined;
  /** What is refused of the certificate that proxies show to backends for a Gateway. */
  readonly clientCertificateFault: (gateway: SettledGateway) => Fault | undefined;
}

/**
 * A listener that is refused ends its connections, and a port of which nothing is left is not opened; handshakes with a
 * certificate that is refused fail, and nothing else does.
 */
export function allowedFleet({ key, irListeners, secrets, ports }: SettledFleet, quarantine: Quarantine): AllowedFleet {
  const find = (kind: 'listener' | 'secret', name: string, content: object) =>
    quarantine.find({ kind, gateway: key, key: name }, () => ir.digestOf(content));
  const tables = new Map<string, Refusal>();
  const hostnames = new Map(
    ports.flatMap((owners) => [...owners.values()]).map(({ place, hostname }) => [place, hostname]),
  );
  const sound = new Map<string, ir.Listener>();
  for (const [name, listener] of irListeners) {
    const chains = listener.chains.map((chain): ir.Chain => {
      const refusal = find('listener', ir.chainKey(name, chain.name), chain);
      if (!refusal) return chain;
      if (chain.table !== undefined) tables.set(chain.table, refusal);
      const hostname = hostnames.get(chain.name) ?? '*';
      return { kind: 'closed', name: chain.name, serverNames: hostname === '*' ? [] : [hostname] };
    });
    if (chains.every((chain, index) => chain === listener.chains[index])) sound.set(name, listener);
    else if (chains.some(({ kind }) => kind !== 'closed')) sound.set(name, { ...listener, chains });
  }
  const listeners = sort(sound, (name, listener) => find('listener', name, listener));
  const certificates = sort(secrets, (name, secret) => find('secret', name, secret));
  for (const [name, refusal] of listeners.refused)
    for (const { table = '' } of irListeners.get(name)?.chains ?? []) tables.set(table, refusal);
  const certificateFault = (name: string, reason: string): Fault | undefined => {
    const refusal = certificates.refused.get(name);
    return refusal && refusalFault(reason, `the certificate in Secret ${name}`, refusal);
  };
  return {
    listeners: listeners.allowed,
    secrets: certificates.allowed,
    isRefused: tables.size + certificates.refused.size > 0,
    clientCertificateFault: (gateway) =>
      certificateFault(clientCertificateKey(gateway) ?? '', 'InvalidClientCertificateRef'),
    faultOf: ({ table = '', certificates: used }) => {
      const port = tables.get(table);
      const shown = used.flatMap((name) => certificateFault(name, 'Invalid') ?? []);
      return combineFaults([...(port ? [portFault(port)] : []), ...shown]);
    },
  };
}

function portFault(refusal: Refusal): Fault {
  if (!isOfThePlace(refusal)) return refusalFault('Invalid', 'this listener', refusal);
  return { reason: 'Invalid', message: `a proxy cannot open the port: ${shortened(refusal.message)}` };
}

function sort<T>(
  all: ReadonlyMap<string, T>,
  find: (key: string, value: T) => Refusal | undefined,
): { readonly allowed: ReadonlyMap<string, T>; readonly refused: ReadonlyMap<string, Refusal> } {
  const refused = new Map(
    [...all].flatMap(([key, value]) => {
      const refusal = find(key, value);
      return refusal ? [[key, refusal] as const] : [];
    }),
  );
  if (refused.size === 0) return { allowed: all, refused };
  const allowed = [...all].filter(([key]) => {
    const refusal = refused.get(key);
    return !refusal || isOfThePlace(refusal);
  });
  return { allowed: new Map(allowed), refused };
}
