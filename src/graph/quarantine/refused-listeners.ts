import { refusalWords } from '../../contracts/index.ts';
import * as ir from '../../ir/index.ts';
import {
  clientCertificateKey,
  combineFaults,
  type Fault,
  type Refusal,
  type ResolvedFleet,
  type ResolvedGateway,
  type ResolvedListener,
} from '../model/index.ts';
import { cannotBind, type Quarantine, refusalFault, updateFault } from './quarantine.ts';

/** What all proxies of a fleet refuse of it. */
export interface RefusedOfFleet {
  /** Whether anything is refused. */
  readonly isRefused: boolean;
  /** Why a listener is not programmed, for what was refused. */
  readonly faultOf: (listener: ResolvedListener) => Fault | undefined;
  /** What is refused of the certificate that proxies show to backends for a Gateway. */
  readonly clientCertificateFault: (gateway: ResolvedGateway) => Fault | undefined;
}

export function refusedOfFleet({ key, irListeners, secrets }: ResolvedFleet, quarantine: Quarantine): RefusedOfFleet {
  const find = (kind: 'listener' | 'secret', name: string, content: object) =>
    quarantine.findHeld({ kind, gateway: key, key: name }, () => ir.digestOf(content));
  const tables = new Map<string, Refusal>();
  for (const [name, listener] of irListeners) {
    const whole = find('listener', name, listener);
    for (const chain of listener.chains) {
      const refusal = whole ?? find('listener', ir.chainKey(name, chain.name), chain);
      if (refusal && chain.table !== undefined) tables.set(chain.table, refusal);
    }
  }
  const certificates = new Map(
    [...secrets].flatMap(([name, secret]) => {
      const refusal = find('secret', name, secret);
      return refusal ? [[name, refusal] as const] : [];
    }),
  );
  const certificateFault = (name: string, reason: string): Fault | undefined => {
    const refusal = certificates.get(name);
    return refusal && updateFault(reason, `the certificate in Secret ${name}`, refusal);
  };
  return {
    isRefused: tables.size + certificates.size > 0,
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
  if (!cannotBind(refusal)) return refusalFault('Invalid', 'this listener', refusal);
  return { reason: 'Invalid', message: `a proxy cannot open the port: ${refusalWords(refusal.message)}` };
}
