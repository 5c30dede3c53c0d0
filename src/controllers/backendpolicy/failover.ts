import { kinds, type ObjectByKind, objectKey, type ServicePort } from '../../gateway-api/index.ts';
import { type Failover, type Lookup, ungranted } from '../../graph/engine/index.ts';
import { backendOwner, type ConditionFault, parseBackendKey, transportOf } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';
import { endpointsOf, protocolOf } from '../endpoints/index.ts';
import { winnerOf } from '../policies/index.ts';
import { tunedTargets } from './tuning.ts';

type Policy = ObjectByKind['BackendPolicy'];
type Ref = NonNullable<Policy['spec']['failover']>['backendRefs'][number];
type Used = Pick<ir.Backend, 'key' | 'port' | 'protocol' | 'hostname'>;

/** As the definition's default, for objects that came by another way than the API server. */
const defaultBelow = 70;

/** Where requests to a backend go while too few of its endpoints are well; a reference that does not resolve is passed by. */
export function failoverOf(target: string, backend: Used, lookup: Lookup): Failover | undefined {
  const policy = winnerOf(tunedTargets, target, lookup);
  const failover = policy?.spec.failover;
  if (!failover || !canFailOver(backend)) return undefined;
  const steps = failover.backendRefs.map((ref) => {
    const step = stepOf(policy, ref, backend, lookup);
    return 'fault' in step ? [] : endpointsOf(step.owner, step.port, lookup.store);
  });
  return { steps, belowPercent: failover.belowHealthyPercent ?? defaultBelow };
}

/** Endpoints that are found by DNS are known to proxies alone, and have no others beside them. */
export const canFailOver = ({ protocol, hostname }: Pick<Used, 'protocol' | 'hostname'>): boolean =>
  protocol !== 'udp' && hostname === undefined;

/** What is wrong with the references of a policy, for the backends that it is used for. */
export function failoverFaults(policy: Policy, backends: readonly Used[], lookup: Lookup): ConditionFault[] {
  const steps = (policy.spec.failover?.backendRefs ?? []).flatMap((ref) =>
    backends.filter(canFailOver).map((backend) => stepOf(policy, ref, backend, lookup)),
  );
  const faults = steps.flatMap((step) => ('fault' in step ? [step.fault] : []));
  return [...new Map(faults.map((fault) => [fault.message, fault])).values()];
}

type Step = { readonly owner: string; readonly port: ServicePort } | { readonly fault: ConditionFault };

function stepOf({ metadata }: Policy, ref: Ref, backend: Used, { store }: Lookup): Step {
  const own = metadata.namespace ?? '';
  const { name, namespace = own, port: number = backend.port, kind = 'Service', group = '' } = ref;
  const from = { group: 'gatewright.dev', kind: 'BackendPolicy', namespace: own };
  const fault = (reason: string, message: string): Step => ({ fault: { reason, message: `failover: ${message}` } });
  if (!store.allows({ from, to: { group, kind, namespace, name } }))
    return fault('RefNotPermitted', ungranted({ kind, namespace, name, user: from }, store));
  const key = objectKey(namespace, name);
  const what = `${kind} ${key}`;
  const found = kinds[kind].group === group ? store.find(kind, key) : undefined;
  if (!found) return fault('BackendNotFound', `${what} does not exist`);
  const port = found.spec.ports?.find((each) => each.port === number && transportOf(each) === 'TCP');
  if (!port) return fault('BackendNotFound', `${what} has no port ${number}: name one of its own`);
  if (!speaksAs(backend, port))
    return fault(
      'UnsupportedProtocol',
      `port ${number} of ${what} speaks ${wordOf[protocolOf(port)]}, and ${backend.key} ${wordOf[backend.protocol]}: set the same appProtocol on both`,
    );
  return { owner: backendOwner(kind, key), port };
}

const wordOf: Readonly<Record<ir.BackendProtocol, string>> = {
  http1: 'HTTP/1.1',
  h2c: 'HTTP/2',
  tcp: 'TCP',
  udp: 'UDP',
};

/** Proxies speak to all endpoints of a backend in one way. Where a route asks for HTTP/2, any port is taken to speak it. */
const speaksAs = ({ key, protocol }: Used, port: ServicePort): boolean =>
  protocol === 'tcp' || parseBackendKey(key).http2 === true || protocolOf(port) === protocol;
