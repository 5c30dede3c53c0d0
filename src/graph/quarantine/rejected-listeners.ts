import { rejectionWords } from '../../contracts/index.ts';
import * as ir from '../../ir/index.ts';
import {
  type ConditionFault,
  clientCertificateKey,
  combineFaults,
  type Rejection,
  type ResolvedFleet,
  type ResolvedGateway,
  type ResolvedListener,
} from '../model/index.ts';
import { cannotBind, type Quarantine, rejectionFault, updateFault } from './quarantine.ts';

/** What all proxies of a fleet reject of it. */
export interface RejectedOfFleet {
  /** Whether anything is rejected. */
  readonly isRejected: boolean;
  /** Why a listener is not programmed, for what was rejected. */
  readonly faultOf: (listener: ResolvedListener) => ConditionFault | undefined;
  /** What is rejected of the certificate that proxies show to backends for a Gateway. */
  readonly clientCertificateFault: (gateway: ResolvedGateway) => ConditionFault | undefined;
}

export function rejectedOfFleet({ key, irListeners, secrets }: ResolvedFleet, quarantine: Quarantine): RejectedOfFleet {
  const find = (kind: 'listener' | 'secret', name: string, content: object) =>
    quarantine.findHeld({ kind, gateway: key, key: name }, () => ir.digestOf(content));
  const tables = new Map<string, Rejection>();
  for (const [name, listener] of irListeners) {
    const whole = find('listener', name, listener);
    for (const chain of listener.chains) {
      const rejection = whole ?? find('listener', ir.chainKey(name, chain.name), chain);
      if (rejection && chain.table !== undefined) tables.set(chain.table, rejection);
    }
  }
  const certificates = new Map(
    [...secrets].flatMap(([name, secret]) => {
      const rejection = find('secret', name, secret);
      return rejection ? [[name, rejection] as const] : [];
    }),
  );
  const certificateFault = (name: string, reason: string): ConditionFault | undefined => {
    const rejection = certificates.get(name);
    return rejection && updateFault(reason, `the certificate in Secret ${name}`, rejection);
  };
  return {
    isRejected: tables.size + certificates.size > 0,
    clientCertificateFault: (gateway) =>
      certificateFault(clientCertificateKey(gateway) ?? '', 'InvalidClientCertificateRef'),
    faultOf: ({ table = '', certificates: used }) => {
      const port = tables.get(table);
      const shown = used.flatMap((name) => certificateFault(name, 'Invalid') ?? []);
      return combineFaults([...(port ? [portFault(port)] : []), ...shown]);
    },
  };
}

function portFault(rejection: Rejection): ConditionFault {
  if (!cannotBind(rejection)) return rejectionFault('Invalid', 'this listener', rejection);
  return { reason: 'Invalid', message: `a proxy cannot open the port: ${rejectionWords(rejection.message)}` };
}
