import type { V1PodSpec, V1PodStatus } from '@kubernetes/client-node';
import type { InfrastructurePart, InfrastructureParts } from '../../admin/index.ts';
import { type EndpointSlice, type KubernetesObject, kinds } from '../../gateway-api/index.ts';
import type { Graph } from '../../graph/index.ts';
import { gatewayAnnotation, type KubeInfrastructure, managedByLabel } from '../../infrastructure/index.ts';
import type { KubeClient } from '../../kube/index.ts';

/** How long the API server may take to list pods, in milliseconds. */
const podsMs = 2000;

export interface ClusterPartsOptions {
  readonly infrastructure: Pick<KubeInfrastructure, 'inventory'>;
  readonly client: Pick<KubeClient, 'list'>;
  readonly graph: Pick<Graph, 'list'>;
  /** Where proxies may be; undefined: everywhere. */
  readonly namespaces?: readonly string[] | undefined;
}

/** What runs for the Gateways of a cluster: what we made, and the pods and EndpointSlices that the cluster made of it. */
export async function clusterParts({
  infrastructure,
  client,
  graph,
  namespaces,
}: ClusterPartsOptions): Promise<InfrastructureParts> {
  const made = infrastructure.inventory();
  const warnings = made === undefined ? [unknown('the objects made for Gateways are not listed yet')] : [];
  const owners = new Map(
    (made ?? [])
      .filter(({ kind }) => kind === 'Service')
      .map(({ namespace, name, owner }) => [`${namespace}/${name}`, owner]),
  );
  const slices = [...graph.list('EndpointSlice')].flatMap((slice) => sliceParts(slice, owners));
  try {
    const labelSelector = `${managedByLabel.name}=${managedByLabel.value}`;
    const places: readonly (string | undefined)[] = namespaces ?? [undefined];
    const lists = places.map((namespace) => client.list(kinds.Pod, { namespace, labelSelector, timeoutMs: podsMs }));
    const pods = (await Promise.all(lists)).flat();
    return { parts: [...(made ?? []), ...pods.map(podPart), ...slices], warnings };
  } catch (error) {
    const message = `pods cannot be listed: ${error instanceof Error ? error.message : String(error)}`;
    return { parts: [...(made ?? []), ...slices], warnings: [...warnings, unknown(message)] };
  }
}

const unknown = (message: string) => ({ code: 'infrastructure_unknown', message }) as const;

function podPart({ metadata, status, spec }: KubernetesObject): InfrastructurePart {
  const { conditions = [], phase, podIPs = [], containerStatuses = [] } = (status ?? {}) as V1PodStatus;
  const isReady = conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True');
  const waiting = containerStatuses.flatMap(({ state }) => state?.waiting?.message ?? state?.waiting?.reason ?? []);
  const unmet = conditions.filter((condition) => condition.status !== 'True').flatMap(({ message }) => message ?? []);
  const where = (spec as V1PodSpec | undefined)?.nodeName;
  const state = isReady ? 'ready' : phase === 'Failed' ? 'failed' : 'pending';
  return {
    kind: 'Pod',
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    role: 'proxy',
    owner: metadata.annotations?.[gatewayAnnotation] ?? null,
    state,
    reasons: isReady
      ? []
      : [...new Set([...waiting, ...unmet, ...(where === undefined ? ['it has no node yet'] : [])])],
    replicas: null,
    addresses: podIPs.flatMap(({ ip }) => ip ?? []),
  };
}

function sliceParts(slice: EndpointSlice, owners: ReadonlyMap<string, string | null>): InfrastructurePart[] {
  const { namespace = '', name, labels } = slice.metadata;
  const owner = owners.get(`${namespace}/${labels?.['kubernetes.io/service-name']}`);
  if (owner === undefined) return [];
  const endpoints = slice.endpoints ?? [];
  const ready = endpoints.filter(({ conditions }) => conditions?.ready ?? true);
  const hasSome = ready.length > 0;
  return [
    {
      kind: 'EndpointSlice',
      namespace,
      name,
      role: 'endpoints',
      owner,
      state: hasSome ? 'ready' : 'pending',
      reasons: hasSome ? [] : ['no proxy is ready'],
      replicas: null,
      addresses: ready.flatMap(({ addresses }) => addresses),
    },
  ];
}
