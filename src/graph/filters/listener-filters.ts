import type { ObjectByKind } from '../../gateway-api/index.ts';
import type * as ir from '../../ir/index.ts';
import type { Store } from '../engine/store.ts';
import { settleClientCertificate } from '../gateways/client-certificate.ts';
import type { ListenerOwner } from '../gateways/listener-owner.ts';
import { combineFaults, type Fault } from '../model/condition.ts';
import { type AuthFilter, authFault, settleAuth, tooManyAuths } from './external-auth/external-auth.ts';

type GatewayObject = ObjectByKind['Gateway'];
type Listener = Pick<GatewayObject['spec']['listeners'][number], 'filters'>;
type ListenerFilter = NonNullable<NonNullable<Listener['filters']>['requests']>[number];

/** What every request of a listener passes before its route is chosen, and what is wrong with that. */
export interface SettledListenerFilters {
  /** In the order of writing; without a backend where a reference leads nowhere: nobody may pass. */
  readonly auths?: readonly ir.ExternalAuth[];
  /** A filter that cannot be had: the listener must not open without it. */
  readonly acceptFault?: Fault;
  readonly referenceFault?: Fault;
}

const requestsOf = ({ filters }: Listener): readonly ListenerFilter[] => filters?.requests ?? [];

const authsOf = (listener: Listener): readonly AuthFilter[] =>
  requestsOf(listener).flatMap(({ externalAuth }) => externalAuth ?? []);

/** `owner` is what declares the listener: grants are asked for it. Source: ListenerFilters.requests. */
export function settleListenerFilters(
  { gateway, owner }: { readonly gateway: GatewayObject; readonly owner: ListenerOwner },
  listener: Listener,
  store: Store,
): SettledListenerFilters {
  const filters = authsOf(listener);
  const faults = [...requestsOf(listener).map(filterFault), tooManyAuths(filters)];
  const acceptFault = combineFaults(faults.flatMap((fault) => fault ?? []));
  if (filters.length === 0) return { ...(acceptFault && { acceptFault }) };
  const certificate = settleClientCertificate(gateway, store);
  const variant = certificate && 'secret' in certificate ? { clientCertificate: certificate.secret.key } : {};
  const user = { kind: owner.kind, namespace: owner.namespace, variant };
  const settled = filters.map((filter) => settleAuth(filter, user, store));
  const referenceFault = combineFaults(settled.flatMap(({ fault }) => fault ?? []));
  return {
    auths: settled.map(({ auth }) => auth),
    ...(acceptFault && { acceptFault }),
    ...(referenceFault && { referenceFault: failingClosed(referenceFault) }),
  };
}

const failingClosed = ({ reason, message }: Fault): Fault => ({
  reason,
  message: `${message}; until then all requests of this listener are answered 500`,
});

function filterFault({ type, externalAuth }: ListenerFilter): Fault | undefined {
  if (externalAuth) return authFault(externalAuth);
  return { reason: 'UnsupportedValue', message: `filter ${type} of a listener is not supported: use ExternalAuth` };
}

/** The backends that filters of some listeners name, wherever they lead. */
export const filterRefsOf = (
  listeners: readonly Listener[],
  ownNamespace: string,
): { readonly namespace: string; readonly name: string }[] =>
  listeners.flatMap(authsOf).map(({ backendRef: { namespace = ownNamespace, name } }) => ({ namespace, name }));
