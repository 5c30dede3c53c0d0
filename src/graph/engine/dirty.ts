import { isRouteKind, type KindName, type ObjectByKind } from '../../gateway-api/index.ts';
import { type AiServiceObject, keyOfAiService } from '../ai/ai-service.ts';
import { type TokenPolicyObject, targetsOfPolicy } from '../ai/token-policy.ts';
import { servicesOf } from '../backend-tls-policy.ts';
import { backendKey, transportOf } from '../backends/backend-ref.ts';
import { bundleKey } from '../certificates/authorities.ts';
import { gatewayOfSet } from '../gateways/listener-set.ts';
import { dataPlaneOf } from '../gateways/parameters.ts';
import { listenerOwnerKey, ownersOfPolicy } from '../listener-policy-index.ts';
import { routeKey, routeKeyOfSource } from '../model/route-key.ts';
import { type BackendPolicyKind, keyOfTarget, type TargetIndex, targetsOf } from '../policy-targets.ts';
import type { Refusal } from '../quarantine/quarantine.ts';
import type { References } from '../references.ts';
import { keyOfXBackend, type XBackendObject, xBackendOwner } from '../x-backend.ts';
import { selectsPod } from '../x-backend-settle.ts';
import { addAll } from './add-all.ts';
import { type Store, serviceKeyOf } from './store.ts';

/** What the next build has to look at again. */
export class Dirty {
  readonly classes = new Set<string>();
  readonly gateways = new Set<string>();
  /** Keys of proxies; those of a Gateway that is settled are settled in any case. */
  readonly fleets = new Set<string>();
  readonly gatewayStatuses = new Set<string>();
  readonly listenerSetStatuses = new Set<string>();
  /** routeKeys */
  readonly routes = new Set<string>();
  /** routeKeys of routes whose status may differ; filled while a build goes on, by what it settles. */
  readonly routeStatuses = new Set<string>();
  readonly backends = new Set<string>();
  /** BackendTLSPolicies whose status may differ. */
  readonly policies = new Set<string>();
  /** BackendPolicies, XBackendTrafficPolicies and XBackends whose status may differ. */
  readonly backendPolicies = new Set<string>();
  /** ListenerPolicies whose status may differ. */
  readonly listenerPolicies = new Set<string>();
  readonly trafficPolicies = new Set<string>();
  readonly xBackends = new Set<string>();
  /** DataPlanes, AIServices and TokenPolicies whose status may differ. */
  readonly dataPlanes = new Set<string>();
  readonly aiServices = new Set<string>();
  readonly tokenPolicies = new Set<string>();

  get isEmpty(): boolean {
    return [
      [this.classes, this.gateways, this.fleets, this.gatewayStatuses, this.listenerSetStatuses],
      [this.routes, this.backends, this.policies, this.backendPolicies, this.trafficPolicies],
      [this.listenerPolicies, this.xBackends, this.dataPlanes, this.aiServices, this.tokenPolicies],
    ].every((sets) => sets.every(({ size }) => size === 0));
  }

  /** Everything was looked at. */
  clear(): void {
    for (const set of Object.values(this) as Set<string>[]) set.clear();
  }
}

interface Touch {
  readonly kind: KindName;
  readonly key: string;
  readonly before: ObjectByKind[KindName] | undefined;
  readonly after: ObjectByKind[KindName] | undefined;
}

/** Marks everything that one changed object can have an effect on, by the reverse indexes. Called after indexes and store know it. */
export function markDirty(
  dirty: Dirty,
  { kind, key, before, after }: Touch,
  references: References,
  store: Store,
): void {
  if (isRouteKind(kind)) {
    dirty.routes.add(routeKey(kind, key));
    for (const policy of references.tokenPolicies.byTarget.sourcesOf(`${kind} ${key}`)) dirty.tokenPolicies.add(policy);
    return;
  }
  switch (kind) {
    case 'DataPlane':
      dirty.dataPlanes.add(key);
      addAll(dirty.gateways, references.gatewaysByDataPlane.sourcesOf(key));
      for (const name of references.classesByDataPlane.sourcesOf(key)) {
        dirty.classes.add(name);
        addAll(dirty.gateways, references.gatewaysByClass.sourcesOf(name));
      }
      return;
    case 'AIService':
      for (const object of [before, after]) if (object) dirty.backends.add(keyOfAiService(object as AiServiceObject));
      markAiService(dirty, key, references, store);
      return;
    case 'TokenPolicy':
      dirty.tokenPolicies.add(key);
      for (const policy of [before, after]) {
        for (const target of policy ? targetsOfPolicy(policy as TokenPolicyObject) : [])
          markBudgeted(dirty, target, references);
      }
      return;
    case 'GatewayClass':
      dirty.classes.add(key);
      for (const object of [before, after] as (ObjectByKind['GatewayClass'] | undefined)[]) {
        const dataPlane = dataPlaneOf(object?.spec.parametersRef);
        if (dataPlane !== undefined) dirty.dataPlanes.add(dataPlane);
      }
      addAll(dirty.gateways, references.gatewaysByClass.sourcesOf(key));
      return;
    case 'Gateway':
      dirty.gateways.add(key);
      return;
    case 'ListenerSet':
      dirty.listenerSetStatuses.add(key);
      markParent(dirty, before as ObjectByKind['ListenerSet'] | undefined);
      markParent(dirty, after as ObjectByKind['ListenerSet'] | undefined);
      addAll(dirty.routes, references.routesByListenerSet.sourcesOf(key));
      return;
    case 'ReferenceGrant': {
      const namespace = (after ?? before)?.metadata.namespace ?? '';
      addAll(dirty.gateways, references.gatewaysByGrantNamespace.sourcesOf(namespace));
      markParents(dirty, references.listenerSetsByGrantNamespace.sourcesOf(namespace), store);
      addAll(dirty.routes, references.routesByGrantNamespace.sourcesOf(namespace));
      markXBackends(dirty, references.xBackends.byGrantNamespace.sourcesOf(namespace), store);
      return;
    }
    case 'Secret':
      addAll(dirty.gateways, references.gatewaysBySecret.sourcesOf(key));
      markParents(dirty, references.listenerSetsBySecret.sourcesOf(key), store);
      markXBackends(dirty, references.xBackends.bySecret.sourcesOf(key), store);
      for (const service of references.aiServices.bySecret.sourcesOf(key))
        markAiService(dirty, service, references, store);
      return;
    case 'ConfigMap':
      markAuthority(dirty, key, references, store);
      for (const service of references.aiServices.byConfigMap.sourcesOf(key))
        markAiService(dirty, service, references, store);
      return;
    case 'ClusterTrustBundle':
      markAuthority(dirty, bundleKey(key), references, store);
      return;
    case 'XBackend':
      dirty.xBackends.add(key);
      addAll(dirty.gateways, references.gatewaysByService.sourcesOf(key));
      markParents(dirty, references.listenerSetsByService.sourcesOf(key), store);
      addAll(dirty.routes, references.routesByService.sourcesOf(key));
      addAll(dirty.trafficPolicies, references.trafficPolicies.byTarget.sourcesOf(xBackendOwner(key)));
      addAll(dirty.backendPolicies, references.backendPolicies.byTarget.sourcesOf(xBackendOwner(key)));
      for (const object of [before, after]) if (object) dirty.backends.add(keyOfXBackend(object as XBackendObject));
      return;
    case 'Pod':
      markSelecting(dirty, [before, after] as (ObjectByKind['Pod'] | undefined)[], references, store);
      return;
    case 'XBackendTrafficPolicy':
      dirty.trafficPolicies.add(key);
      for (const policy of [before, after])
        markTrafficPolicy(dirty, policy as ObjectByKind['XBackendTrafficPolicy'] | undefined, references, store);
      return;
    case 'BackendPolicy':
      dirty.backendPolicies.add(key);
      for (const policy of [before, after])
        markTargets(dirty.backendPolicies, policy as ObjectByKind['BackendPolicy'] | undefined, {
          dirty,
          index: references.backendPolicies,
          store,
        });
      return;
    case 'ListenerPolicy':
      dirty.listenerPolicies.add(key);
      for (const policy of [before, after])
        markListeners(dirty, policy as ObjectByKind['ListenerPolicy'] | undefined, store);
      return;
    case 'BackendTLSPolicy':
      dirty.policies.add(key);
      markPolicy(dirty, before as ObjectByKind['BackendTLSPolicy'] | undefined, references, store);
      markPolicy(dirty, after as ObjectByKind['BackendTLSPolicy'] | undefined, references, store);
      return;
    case 'Namespace':
      if (references.namespacesMatter) addAll(dirty.routes, references.routesByNamespace.sourcesOf(key));
      for (const set of references.listenerSetsByNamespace.sourcesOf(key)) {
        const gateway = gatewayOf(store.find('ListenerSet', set));
        if (gateway !== undefined && references.selectsSets(gateway)) dirty.gateways.add(gateway);
      }
      return;
    case 'Service':
      for (const policy of references.listenerPolicies.byService.sourcesOf(key))
        markListeners(dirty, store.find('ListenerPolicy', policy), store);
      addAll(dirty.gateways, references.gatewaysByService.sourcesOf(key));
      markParents(dirty, references.listenerSetsByService.sourcesOf(key), store);
      addAll(dirty.policies, references.policies.byService.sourcesOf(key));
      addAll(dirty.trafficPolicies, references.trafficPolicies.byTarget.sourcesOf(key));
      addAll(dirty.backendPolicies, references.backendPolicies.byTarget.sourcesOf(key));
      addAll(dirty.routes, references.routesByService.sourcesOf(key));
      addAll(dirty.backends, backendsOf(before as ObjectByKind['Service']));
      addAll(dirty.backends, backendsOf(after as ObjectByKind['Service']));
      return;
    case 'EndpointSlice':
      for (const object of [before, after]) {
        const service = object && serviceKeyOf(kind, object);
        if (service) addAll(dirty.backends, backendsOf(store.find('Service', service)));
      }
  }
}

const gatewayOf = (set: ObjectByKind['ListenerSet'] | undefined): string | undefined => set && gatewayOfSet(set);

/** A ListenerSet's listeners are settled with its Gateway's. */
function markParent(dirty: Dirty, set: ObjectByKind['ListenerSet'] | undefined): void {
  const gateway = gatewayOf(set);
  if (gateway !== undefined) dirty.gateways.add(gateway);
}

function markParents(dirty: Dirty, sets: Iterable<string>, store: Store): void {
  for (const set of sets) markParent(dirty, store.find('ListenerSet', set));
}

/** The Gateways whose listeners a policy is for. */
function markListeners(dirty: Dirty, policy: ObjectByKind['ListenerPolicy'] | undefined, store: Store): void {
  for (const owner of policy ? ownersOfPolicy(policy) : []) {
    const key = owner.slice(owner.indexOf(' ') + 1);
    if (owner === listenerOwnerKey('Gateway', key)) dirty.gateways.add(key);
    else markParent(dirty, store.find('ListenerSet', key));
  }
}

/** Marks what some content is of that is refused. */
export function markRefused(dirty: Dirty, { kind, gateway, key }: Refusal): void {
  if (kind === 'backend' || kind === 'endpoints') dirty.backends.add(key);
  else if (kind !== 'route') dirty.fleets.add(gateway);
  else
    addAll(
      dirty.routes,
      [routeKeyOfSource(key)].filter((route) => route !== undefined),
    );
}

/** A policy's Services, and the other policies that they have: which of them rules may be another now. */
function markPolicy(
  dirty: Dirty,
  policy: ObjectByKind['BackendTLSPolicy'] | undefined,
  references: References,
  store: Store,
): void {
  for (const service of policy ? servicesOf(policy) : []) {
    addAll(dirty.policies, references.policies.byService.sourcesOf(service));
    addAll(dirty.backends, backendsOf(store.find('Service', service)));
  }
}

/** Whoever trusts authorities; the key is an authorityKey. */
function markAuthority(dirty: Dirty, key: string, references: References, store: Store): void {
  addAll(dirty.gateways, references.gatewaysByAuthority.sourcesOf(key));
  for (const policy of references.policies.byAuthority.sourcesOf(key))
    markPolicy(dirty, store.find('BackendTLSPolicy', policy), references, store);
  markXBackends(dirty, references.xBackends.byAuthority.sourcesOf(key), store);
}

/** A service, those that fall back to it, and the routes that name any of them, for it is they that choose among services. */
function markAiService(dirty: Dirty, key: string, references: References, store: Store): void {
  const object = store.find('AIService', key);
  if (object) dirty.backends.add(keyOfAiService(object));
  for (const policy of references.tokenPolicies.byTarget.sourcesOf(`AIService ${key}`)) dirty.tokenPolicies.add(policy);
  for (const service of [key, ...references.aiServices.byFallback.sourcesOf(key)]) {
    dirty.aiServices.add(service);
    addAll(dirty.routes, references.routesByService.sourcesOf(service));
  }
}

/** The routes of a TokenPolicy's target. */
function markBudgeted(dirty: Dirty, target: string, references: References): void {
  const [kind = '', key = ''] = target.split(' ');
  if (kind === 'HTTPRoute') dirty.routes.add(routeKey('HTTPRoute', key));
  else addAll(dirty.routes, references.routesByService.sourcesOf(key));
}

function markXBackends(dirty: Dirty, keys: Iterable<string>, store: Store): void {
  for (const key of keys) {
    const object = store.find('XBackend', key);
    dirty.xBackends.add(key);
    if (object) dirty.backends.add(keyOfXBackend(object));
  }
}

/** The XBackends that select a Pod, or did before it changed. */
function markSelecting(
  dirty: Dirty,
  versions: readonly (ObjectByKind['Pod'] | undefined)[],
  references: References,
  store: Store,
): void {
  const pods = versions.flatMap((pod) => pod ?? []);
  for (const key of references.xBackends.selectingIn.sourcesOf(pods[0]?.metadata.namespace ?? '')) {
    const object = store.find('XBackend', key);
    if (object && pods.some((pod) => selectsPod(object, pod))) dirty.backends.add(keyOfXBackend(object));
  }
}

/** A policy's targets, and the other policies that they have: which of them rules may be another now. */
function markTargets(
  policies: Set<string>,
  policy: ObjectByKind[BackendPolicyKind] | undefined,
  { dirty, index, store }: { readonly dirty: Dirty; readonly index: TargetIndex; readonly store: Store },
): void {
  for (const target of policy ? targetsOf(policy) : []) {
    addAll(policies, index.byTarget.sourcesOf(target));
    addAll(dirty.backends, backendsOfTarget(target, store));
  }
}

/** Beside its targets, the routes that have sessions by it. */
function markTrafficPolicy(
  dirty: Dirty,
  policy: ObjectByKind['XBackendTrafficPolicy'] | undefined,
  references: References,
  store: Store,
): void {
  markTargets(dirty.trafficPolicies, policy, { dirty, index: references.trafficPolicies, store });
  for (const target of policy ? targetsOf(policy) : []) {
    const others = [...references.trafficPolicies.byTarget.sourcesOf(target)];
    const all = [policy, ...others.map((key) => store.find('XBackendTrafficPolicy', key))];
    // Sessions are in routes; which policy rules may be another now, so those of others count.
    if (all.some((each) => each?.spec.sessionPersistence))
      addAll(dirty.routes, references.routesByService.sourcesOf(keyOfTarget(target)));
  }
}

function backendsOfTarget(target: string, store: Store): string[] {
  const xBackend = store.find('XBackend', keyOfTarget(target));
  if (target.includes(' ')) return xBackend ? [keyOfXBackend(xBackend)] : [];
  return backendsOf(store.find('Service', target));
}

const backendsOf = (service: ObjectByKind['Service'] | undefined): string[] =>
  (service?.spec.ports ?? []).map((port) =>
    backendKey(service?.metadata.namespace ?? '', service?.metadata.name ?? '', port.port, {
      transport: transportOf(port),
    }),
  );
