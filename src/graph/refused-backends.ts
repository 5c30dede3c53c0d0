import type { PolicyStatus } from '../gateway-api/index.ts';
import * as ir from '../ir/index.ts';
import type { SettledBackend } from './backend.ts';
import { splitBackendKey } from './backend-ref.ts';
import { conditionOf, type Fault } from './condition.ts';
import { type Quarantine, refusalFault } from './quarantine.ts';

/** A backend without what proxies refuse of it. */
export interface AllowedBackend {
  readonly backend?: ir.Backend;
  readonly endpoints?: ir.Endpoints;
  readonly fault?: Fault;
}

/** Requests for a backend that is left out are answered like those of one that is not there; without its endpoints it answers 503. */
export function allowedBackend(settled: SettledBackend | undefined, quarantine: Quarantine): AllowedBackend {
  if (!settled) return {};
  const { backend, endpoints } = settled;
  const { key } = backend;
  const cluster = quarantine.find({ kind: 'backend', gateway: '', key }, () => ir.digestOf(backend));
  const members = quarantine.find({ kind: 'endpoints', gateway: '', key }, () => ir.digestOf(endpoints));
  const { namespace, service, port } = splitBackendKey(key);
  const what =
    backend.kind === 'AIService'
      ? `AIService ${namespace}/${service}`
      : `port ${port} of Service ${namespace}/${service}`;
  if (cluster) return { fault: refusalFault('UnsupportedValue', what, cluster) };
  if (!members) return settled;
  const fault = refusalFault('UnsupportedValue', `the endpoints of ${what}`, members);
  return { backend, endpoints: { backend: key, endpoints: [] }, fault };
}

/** A policy of whose backends some are refused. Source of the reason: PolicyReasonInvalid. */
export const withRefusal = (status: PolicyStatus, fault: Fault | undefined): PolicyStatus => {
  if (!fault) return status;
  return {
    ...status,
    ancestors: status.ancestors.map((ancestor) => ({
      ...ancestor,
      conditions: ancestor.conditions.map((condition) =>
        condition.type === 'Accepted' && condition.status === 'True'
          ? conditionOf('Accepted', condition.observedGeneration ?? 0, { reason: 'Invalid', message: fault.message })
          : condition,
      ),
    })),
  };
};
