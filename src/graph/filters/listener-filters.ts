import type { ObjectByKind } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import { resolveClientCertificate } from '../certificates/index.ts';
import type { Store } from '../engine/index.ts';
import { type ConditionFault, combineFaults, type ListenerOwner, type ResolvedBackend } from '../model/index.ts';
import { type AuthSpec, authFault, authOf, authReference, tooManyAuths } from './external-auth/external-auth.ts';
import { resolveReference } from './filter-references.ts';

type GatewayObject = ObjectByKind['Gateway'];
type Listener = Pick<GatewayObject['spec']['listeners'][number], 'filters'>;
type ListenerFilter = NonNullable<NonNullable<Listener['filters']>['requests']>[number];

/** What every request of a listener passes before its route is chosen, and what is wrong with that. */
export interface ResolvedListenerFilters {
  /** In the order of writing; without a backend where a reference leads nowhere: no request may pass. */
  readonly preRoutingAuth?: readonly ir.ExternalAuth[];
  /** A filter that is not available: the listener must not open without it. */
  readonly acceptFault?: ConditionFault;
  readonly referenceFault?: ConditionFault;
}

const requestsOf = ({ filters }: Listener): readonly ListenerFilter[] => filters?.requests ?? [];

const authsOf = (listener: Listener): readonly AuthSpec[] =>
  requestsOf(listener).flatMap(({ externalAuth }) => externalAuth ?? []);

/** `owner` is what declares the listener: grants are checked for it. Source: ListenerFilters.requests. */
export function resolveListenerFilters(
  { gateway, owner }: { readonly gateway: GatewayObject; readonly owner: ListenerOwner },
  listener: Listener,
  store: Store,
): ResolvedListenerFilters {
  const specs = authsOf(listener);
  const faults = [...requestsOf(listener).map(filterFault), tooManyAuths(specs.length)];
  const acceptFault = combineFaults(faults.flatMap((fault) => fault ?? []));
  if (specs.length === 0) return { ...(acceptFault && { acceptFault }) };
  const certificate = resolveClientCertificate(gateway, store);
  const variant = certificate && 'secret' in certificate ? { clientCertificate: certificate.secret.key } : {};
  const user = { kind: owner.kind, namespace: owner.namespace, variant };
  const targets = specs.map((spec) => resolveReference(authReference(spec), user, store));
  const referenceFault = combineFaults(targets.flatMap((target) => ('fault' in target ? [target.fault] : [])));
  return {
    preRoutingAuth: specs.map((spec, index) => authOf(spec, targets[index] as ResolvedBackend, owner.namespace)),
    ...(acceptFault && { acceptFault }),
    ...(referenceFault && { referenceFault: failingClosed(referenceFault) }),
  };
}

const failingClosed = ({ reason, message }: ConditionFault): ConditionFault => ({
  reason,
  message: `${message}; until then all requests of this listener are answered 500`,
});

function filterFault({ type, externalAuth }: ListenerFilter): ConditionFault | undefined {
  const message = externalAuth
    ? authFault(externalAuth)
    : `filter ${type} of a listener is not supported: use ExternalAuth`;
  return message === undefined ? undefined : { reason: 'UnsupportedValue', message };
}

/** The backends that filters of some listeners name, wherever they lead. */
export const filterRefsOf = (
  listeners: readonly Listener[],
  ownNamespace: string,
): { readonly namespace: string; readonly name: string }[] =>
  listeners.flatMap(authsOf).map(({ backendRef: { namespace = ownNamespace, name } }) => ({ namespace, name }));
