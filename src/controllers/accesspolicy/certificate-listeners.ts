import type { StatusContext } from '../../graph/engine/index.ts';
import { asksForCertificates } from '../../graph/gateways/index.ts';
import { type ConditionFault, isHttp } from '../../graph/model/index.ts';
import { isConnectionRoute } from './edges.ts';
import { demandsPart, invalid, type Policy } from './parts/index.ts';
import { listenersLacking } from './policy-listeners.ts';

/** What a demand comes to at the listeners of a Gateway. */
export interface AtListeners {
  /** No listener is right for it: no request can meet the demand. */
  readonly fault?: ConditionFault;
  /** Some are not. */
  readonly remark?: ConditionFault;
}

/** Whether the listeners ask for the certificates that a policy demands. Those that do not answer 403, since no client can show one there. */
export function certificatesAt(policy: Policy, gateway: string, context: StatusContext): AtListeners {
  if (!demandsPart(policy.spec, 'clientCertificates')) return {};
  const object = context.store.find('Gateway', gateway);
  if (!object) return {};
  const { lacking, isEveryOne } = listenersLacking(policy, gateway, context, {
    counts: (spec, kind) => isHttp(spec) || isConnectionRoute(kind),
    meets: (spec) => asksForCertificates(object, spec),
  });
  if (lacking === undefined) return {};
  const isOfConnections = policy.spec.targetRefs.every(({ kind }) => isConnectionRoute(kind));
  const end = isOfConnections ? 'connections there are closed' : 'requests there are answered 403';
  const message = `clientCertificates: ${lacking} of Gateway ${gateway} asks clients for no certificate, so ${end}; an HTTPS listener, or one of TLS that ends there, asks where spec.tls.frontend of the Gateway says so`;
  return isEveryOne ? { fault: invalid(message) } : { remark: { reason, message } };
}

const reason = 'CertificatesNotRequested';
