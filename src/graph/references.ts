import { isRouteKind, type KindName, type ObjectByKind } from '../gateway-api/index.ts';
import { AiServiceIndex } from './ai/ai-index.ts';
import { TokenPolicyIndex } from './ai/token-policy.ts';
import { authorityKey } from './certificates/authorities.ts';
import { ReverseIndex } from './engine/reverse-index.ts';
import { filterRefsOf } from './filters/listener-filters.ts';
import { clientCertificateRefOf } from './gateways/client-certificate.ts';
import { authorityRefsOf } from './gateways/frontend-tls.ts';
import { selectsNamespaces } from './gateways/listener.ts';
import { certificateRefsOf } from './gateways/listener-certificates.ts';
import { gatewayOfSet, selectsSetNamespaces, setOfParent } from './gateways/listener-set.ts';
import { dataPlaneOf, parametersRefOf } from './gateways/parameters.ts';
import { ListenerPolicyIndex } from './listener-policy-index.ts';
import { type RouteObject, routeKey } from './model/route-key.ts';
import { PolicyIndex } from './policy-index.ts';
import { TargetIndex } from './policy-targets.ts';
import { gatewayOfParent } from './routes/attach.ts';
import { rulesOf } from './routes/rule.ts';
import { backendRefsOf } from './routes/share.ts';
import { XBackendIndex } from './x-backend-index.ts';

/**
 * Who refers to what, read from the specs alone: whether a reference resolves or not, its target's changes must find
 * the referrer. Keys are object keys; of routes, routeKeys.
 */
export class References {
  readonly gatewaysByClass = new ReverseIndex();
  readonly classesByDataPlane = new ReverseIndex();
  /** By the DataPlane that Gateways name themselves. */
  readonly gatewaysByDataPlane = new ReverseIndex();
  readonly policies = new PolicyIndex();
  readonly trafficPolicies = new TargetIndex();
  readonly backendPolicies = new TargetIndex();
  readonly listenerPolicies = new ListenerPolicyIndex();
  readonly xBackends = new XBackendIndex();
  readonly aiServices = new AiServiceIndex();
  readonly tokenPolicies = new TokenPolicyIndex();
  readonly gatewaysBySecret = new ReverseIndex();
  /** By authorityKey. */
  readonly gatewaysByAuthority = new ReverseIndex();
  /** By the key of a Service or XBackend. */
  readonly gatewaysByService = new ReverseIndex();
  readonly routesByGateway = new ReverseIndex();
  readonly routesByListenerSet = new ReverseIndex();
  readonly listenerSetsByGateway = new ReverseIndex();
  readonly listenerSetsBySecret = new ReverseIndex();
  readonly listenerSetsByNamespace = new ReverseIndex();
  readonly listenerSetsByService = new ReverseIndex();
  /** By the key of a Service, XBackend or AIService, for those are told apart by nothing else that matters here. */
  readonly routesByService = new ReverseIndex();
  readonly routesByNamespace = new ReverseIndex();
  /** By the namespace whose ReferenceGrants decide. */
  readonly gatewaysByGrantNamespace = new ReverseIndex();
  readonly listenerSetsByGrantNamespace = new ReverseIndex();
  readonly routesByGrantNamespace = new ReverseIndex();
  /** Gateways and ListenerSets that let routes in by labels of namespaces. */
  readonly #selectingRoutes = new Set<string>();
  readonly #selectingSets = new Set<string>();

  /** Whether labels of namespaces matter to any route. */
  get namespacesMatter(): boolean {
    return this.#selectingRoutes.size > 0;
  }

  /** Whether the Gateway lets ListenerSets in by labels of namespaces. */
  selectsSets(gateway: string): boolean {
    return this.#selectingSets.has(gateway);
  }

  /** What an object refers to from now on; nothing, once it is gone. */
  set<K extends KindName>(kind: K, key: string, object: ObjectByKind[K] | undefined): void {
    if (isRouteKind(kind)) this.setRoute(routeKey(kind, key), object as RouteObject | undefined);
    else setters[kind]?.(this, key, object);
  }

  setClass(key: string, gatewayClass: ObjectByKind['GatewayClass'] | undefined): void {
    this.classesByDataPlane.set(key, present(dataPlaneOf(gatewayClass?.spec.parametersRef)));
  }

  setGateway(key: string, gateway: ObjectByKind['Gateway'] | undefined): void {
    const listeners = gateway?.spec.listeners ?? [];
    const clientCertificate = gateway && clientCertificateRefOf(gateway);
    const secrets = [
      ...listeners.flatMap((listener) => certificateRefsOf(gateway as ObjectByKind['Gateway'], listener)),
      ...(clientCertificate ? [clientCertificate] : []),
    ];
    const authorities = gateway ? authorityRefsOf(gateway) : [];
    this.gatewaysByClass.set(key, gateway ? [gateway.spec.gatewayClassName] : []);
    this.gatewaysByDataPlane.set(key, present(gateway && dataPlaneOf(parametersRefOf(gateway))));
    this.gatewaysBySecret.set(key, distinct(secrets.map(({ namespace, name }) => `${namespace}/${name}`)));
    this.gatewaysByAuthority.set(key, distinct(authorities.map(authorityKey)));
    const asked = filterRefsOf(listeners, gateway?.metadata.namespace ?? '');
    this.gatewaysByService.set(key, distinct(asked.map(({ namespace, name }) => `${namespace}/${name}`)));
    const foreign = [...secrets, ...authorities, ...asked]
      .map(({ namespace }) => namespace)
      .filter((namespace) => namespace !== gateway?.metadata.namespace);
    this.gatewaysByGrantNamespace.set(key, distinct(foreign));
    include(this.#selectingRoutes, `Gateway ${key}`, listeners.some(selectsNamespaces));
    include(this.#selectingSets, key, gateway !== undefined && selectsSetNamespaces(gateway));
  }

  setListenerSet(key: string, set: ObjectByKind['ListenerSet'] | undefined): void {
    const secrets = set ? set.spec.listeners.flatMap((listener) => certificateRefsOf(set, listener)) : [];
    const gateway = set && gatewayOfSet(set);
    const own = set?.metadata.namespace ?? '';
    const asked = filterRefsOf(set?.spec.listeners ?? [], own);
    const foreign = [...secrets, ...asked].map(({ namespace }) => namespace).filter((other) => other !== own);
    this.listenerSetsByGateway.set(key, gateway === undefined ? [] : [gateway]);
    this.listenerSetsBySecret.set(key, distinct(secrets.map(({ namespace, name }) => `${namespace}/${name}`)));
    this.listenerSetsByService.set(key, distinct(asked.map(({ namespace, name }) => `${namespace}/${name}`)));
    this.listenerSetsByNamespace.set(key, set ? [own] : []);
    this.listenerSetsByGrantNamespace.set(key, distinct(foreign));
    include(this.#selectingRoutes, `ListenerSet ${key}`, set?.spec.listeners.some(selectsNamespaces) ?? false);
  }

  setRoute(key: string, route: RouteObject | undefined): void {
    const namespace = route?.metadata.namespace ?? '';
    const parents = (route?.spec?.parentRefs ?? []).flatMap((ref) => gatewayOfParent(ref, namespace) ?? []);
    const refs = rulesOf(route).flatMap(backendRefsOf);
    const services = refs.map((ref) => ({ namespace: ref.namespace ?? namespace, name: ref.name }));
    const sets = (route?.spec?.parentRefs ?? []).flatMap((ref) => setOfParent(ref, namespace) ?? []);
    this.routesByGateway.set(key, distinct(parents));
    this.routesByListenerSet.set(key, distinct(sets));
    this.routesByService.set(key, distinct(services.map((service) => `${service.namespace}/${service.name}`)));
    this.routesByNamespace.set(key, route ? [namespace] : []);
    const foreign = services.map((service) => service.namespace).filter((other) => other !== namespace);
    this.routesByGrantNamespace.set(key, distinct(foreign));
  }
}

type Setters = {
  readonly [K in KindName]?: (all: References, key: string, object: ObjectByKind[K] | undefined) => void;
};

/** Of the kinds that refer to others, but for routes. */
const setters: Setters = {
  GatewayClass: (all, key, object) => all.setClass(key, object),
  Gateway: (all, key, object) => all.setGateway(key, object),
  ListenerSet: (all, key, object) => all.setListenerSet(key, object),
  BackendTLSPolicy: ({ policies }, key, object) => policies.set(key, object),
  BackendPolicy: ({ backendPolicies }, key, object) => backendPolicies.set(key, object),
  ListenerPolicy: ({ listenerPolicies }, key, object) => listenerPolicies.set(key, object),
  XBackendTrafficPolicy: ({ trafficPolicies }, key, object) => trafficPolicies.set(key, object),
  AIService: ({ aiServices }, key, object) => aiServices.set(key, object),
  TokenPolicy: ({ tokenPolicies }, key, object) => tokenPolicies.set(key, object),
  XBackend: ({ xBackends }, key, object) => xBackends.set(key, object),
};

const present = (value: string | undefined): string[] => (value === undefined ? [] : [value]);

const distinct = (values: readonly string[]): string[] => [...new Set(values)];

function include(set: Set<string>, key: string, isMember: boolean): void {
  if (isMember) set.add(key);
  else set.delete(key);
}
