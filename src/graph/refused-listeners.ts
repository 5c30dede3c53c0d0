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

/** A port that is refused is not opened; handshakes with a certificate that is refused fail, and nothing else does. */
export function allowedFleet({ key, irListeners, secrets }: SettledFleet, quarantine: Quarantine): AllowedFleet {
  const listeners = sort(irListeners, (name, listener) =>
    quarantine.find({ kind: 'listener', gateway: key, key: name }, () => ir.digestOf(listener)),
  );
  const certificates = sort(secrets, (name, secret) =>
    quarantine.find({ kind: 'secret', gateway: key, key: name }, () => ir.digestOf(secret)),
  );
  const tables = new Map(
    [...listeners.refused].flatMap(([name, refusal]) =>
      (irListeners.get(name)?.chains ?? []).map(({ table }) => [table, refusal] as const),
    ),
  );
  const certificateFault = (name: string, reason: string): Fault | undefined => {
    const refusal = certificates.refused.get(name);
    return refusal && refusalFault(reason, `the certificate in Secret ${name}`, refusal);
  };
  return {
    listeners: listeners.allowed,
    secrets: certificates.allowed,
    isRefused: listeners.refused.size + certificates.refused.size > 0,
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
