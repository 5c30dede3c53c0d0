import { objectKey, parseObjectKey } from '../../gateway-api/index.ts';
import type { GuardedListener, StatusContext } from '../../graph/engine/index.ts';
import { asksForCertificates, listenerSetEdges } from '../../graph/gateways/index.ts';
import { type ConditionFault, describeOwner, isHttp, type ListenerSpec } from '../../graph/model/index.ts';
import { routeTargetKey } from '../policies/index.ts';
import { isConnectionRoute, isListenerOwner } from './edges.ts';
import { demandsPart, invalid, namespaceOf, type Policy } from './parts/index.ts';

/** What a demand for certificates comes to at a Gateway. */
interface AtListeners {
  /** No listener asks for them: no request can meet the demand. */
  readonly fault?: ConditionFault;
  /** Some do not. */
  readonly remark?: ConditionFault;
}

const mostNamed = 4;

/** Whether the listeners ask for the certificates that a policy demands. Those that do not answer 403, since no client can show one there. */
export function certificatesAt(policy: Policy, gateway: string, context: StatusContext): AtListeners {
  if (!demandsPart(policy.spec, 'clientCertificates')) return {};
  const object = context.store.find('Gateway', gateway);
  if (!object) return {};
  const known = new Map(
    policy.spec.targetRefs.flatMap((ref) =>
      listenersOf(policy, ref, gateway, context).flatMap((listener) => {
        const spec = specOf(listener, context);
        const counts = spec && (isHttp(spec) || isConnectionRoute(ref.kind));
        return counts ? [[nameOf(listener), asksForCertificates(object, spec)] as const] : [];
      }),
    ),
  );
  const silent = [...known].flatMap(([name, asks]) => (asks ? [] : [name]));
  if (silent.length === 0) return {};
  const rest = silent.length - mostNamed;
  const named = `${silent.slice(0, mostNamed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  const isOfConnections = policy.spec.targetRefs.every(({ kind }) => isConnectionRoute(kind));
  const end = isOfConnections ? 'connections there are closed' : 'requests there are answered 403';
  const message = `clientCertificates: ${named} of Gateway ${gateway} asks clients for no certificate, so ${end}; an HTTPS listener, or one of TLS that ends there, asks where spec.tls.frontend of the Gateway says so`;
  return silent.length === known.size ? { fault: invalid(message) } : { remark: { reason, message } };
}

const reason = 'CertificatesNotRequested';

/** Those that a target stands for. */
function listenersOf(
  policy: Policy,
  { kind, name, sectionName }: Policy['spec']['targetRefs'][number],
  gateway: string,
  { routes, store, edges }: StatusContext,
): readonly GuardedListener[] {
  const key = objectKey(namespaceOf(policy), name);
  if (!isListenerOwner(kind)) return routes.listenersOf(routeTargetKey(kind, key), gateway);
  const isWhole = kind === 'Gateway' && sectionName === undefined;
  const sets = isWhole ? [...edges.of(listenerSetEdges.gateway).sourcesOf(gateway)] : [];
  return [{ kind, key }, ...sets.map((set) => ({ kind: 'ListenerSet' as const, key: set }))].flatMap((owner) =>
    (store.find(owner.kind, owner.key)?.spec.listeners ?? [])
      .filter((listener) => sectionName === undefined || listener.name === sectionName)
      .map((listener) => ({ owner: { kind: owner.kind, ...parseObjectKey(owner.key) }, name: listener.name })),
  );
}

const specOf = ({ owner, name }: GuardedListener, { store }: StatusContext): ListenerSpec | undefined =>
  store
    .find(owner.kind, objectKey(owner.namespace, owner.name))
    ?.spec.listeners.find((listener) => listener.name === name);

const nameOf = ({ owner, name }: GuardedListener): string =>
  owner.kind === 'Gateway' ? `listener ${name}` : `listener ${name} of ${describeOwner(owner)}`;
