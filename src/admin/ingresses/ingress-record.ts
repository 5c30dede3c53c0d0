import {
  allParents,
  type GatewayStatus,
  type Ingress,
  keyOf,
  parseObjectKey,
  type RouteParentStatus,
} from '../../gateway-api/index.ts';
import { timeTextOrNull } from '../resource/leaves.ts';
import { parentsOf } from '../routes/route-record.ts';
import type { AdminSources } from '../sources.ts';
import type { IngressRecord, IngressState } from './record.ts';
import type { ServedIngress } from './served-ingress.ts';

type Sources = Pick<AdminSources, 'graph' | 'controllerName' | 'ingresses'>;

interface RouteState {
  readonly name: string;
  readonly parents: readonly RouteParentStatus[];
}

/** What is said of one Ingress. */
export function ingressRecord(ingress: Ingress, sources: Sources): IngressRecord {
  const { metadata, spec } = ingress;
  const served = sources.ingresses.find(keyOf(ingress));
  const routes = routesOf(served, sources);
  const { creationTimestamp, generation, name, namespace } = metadata;
  return {
    namespace: namespace ?? '',
    name,
    class: classOf(ingress) ?? null,
    state: stateOf(served, routes),
    gateway: served?.gateway ?? null,
    adopted: served?.isAdopted === true,
    hosts: hostsOf(ingress),
    addresses: addressesOf(served, sources),
    routes: routes.map(({ name: its, parents }) => ({
      name: its,
      accepted: allParents(parents, 'Accepted'),
      resolvedRefs: allParents(parents, 'ResolvedRefs'),
    })),
    faults: (served?.faults ?? []).map(({ reason, message, isWhole = false }) => ({ reason, message, isWhole })),
    rules: (spec.rules ?? []).map((rule) => ({ ...rule })),
    tls: (spec.tls ?? []).map((each) => ({ ...each })),
    defaultBackend: spec.defaultBackend ? { ...spec.defaultBackend } : null,
    createdAt: timeTextOrNull(creationTimestamp === undefined ? undefined : new Date(creationTimestamp)),
    generation: generation ?? null,
  };
}

/** How an Ingress is served. */
export function ingressState(ingress: Ingress, sources: Sources): IngressState {
  const served = sources.ingresses.find(keyOf(ingress));
  return stateOf(served, routesOf(served, sources));
}

/** Of its rules, each once. */
export const hostsOf = ({ spec }: Ingress): readonly string[] => [
  ...new Set((spec.rules ?? []).flatMap(({ host }) => (host ? [host] : []))),
];

/** By the field, else by the annotation that was before it. */
export const classOf = ({ metadata, spec }: Ingress): string | undefined =>
  spec.ingressClassName ?? metadata.annotations?.['kubernetes.io/ingress.class'];

function stateOf(served: ServedIngress | undefined, routes: readonly RouteState[]): IngressState {
  if (served === undefined) return 'foreign';
  const accepted = routes.filter(({ parents }) => allParents(parents, 'Accepted'));
  if (served.faults.some(({ isWhole }) => isWhole) || accepted.length === 0) return 'failed';
  const isWell =
    accepted.length === routes.length && routes.every(({ parents }) => allParents(parents, 'ResolvedRefs'));
  return isWell && served.faults.length === 0 ? 'served' : 'degraded';
}

const routesOf = (served: ServedIngress | undefined, sources: Sources): readonly RouteState[] =>
  (served?.routes ?? []).map((key) => {
    const route = sources.graph.find('HTTPRoute', key);
    return { name: parseObjectKey(key).name, parents: route === undefined ? [] : parentsOf(route, sources) };
  });

function addressesOf(served: ServedIngress | undefined, { graph }: Sources): readonly string[] {
  if (served?.gateway === undefined) return [];
  const status = graph.statusOf('Gateway', served.gateway) as GatewayStatus | undefined;
  return (status?.addresses ?? []).map(({ value }) => value);
}
