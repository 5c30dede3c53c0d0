import type { ObjectByKind, Pod } from '../../gateway-api/index.ts';
import type { StoredObjects } from '../../graph/engine/index.ts';
import { compareText } from '../../graph/model/index.ts';
import type * as ir from '../../ir/index.ts';

type Labels = Readonly<Record<string, string>>;

/** Pods of one namespace that have all of these labels. */
export interface PodSelection {
  readonly namespace: string;
  readonly labels: Labels;
  /** Of a Pod that is selected. */
  readonly portsOf: (pod: Pod) => readonly number[];
}

/** Whether a Pod has all labels. */
export const hasLabels = ({ metadata }: ObjectByKind['Pod'], labels: Labels): boolean =>
  Object.entries(labels).every(([label, value]) => metadata.labels?.[label] === value);

/** Each port of the selected Pods that are ready. As for Services: when none is ready, those that are leaving and still serve are used. */
export function podEndpoints({ namespace, labels, portsOf }: PodSelection, store: StoredObjects): ir.Endpoint[] {
  const pods = [...store.podsOf(namespace, labels)].filter((pod) => hasLabels(pod, labels));
  const serving = pods.filter(isReady).flatMap((pod) => portsOf(pod).flatMap((port) => endpointOf(pod, port)));
  const someReady = serving.some(({ health }) => health === 'ready');
  const endpoints = someReady ? serving : serving.map((endpoint) => ({ ...endpoint, health: 'ready' as const }));
  return endpoints.sort((a, b) => compareText(a.address, b.address) || a.port - b.port);
}

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;

/** Since Kubernetes 1.35 Pods carry the zone of their node as a label. */
const zoneLabel = 'topology.kubernetes.io/zone';

function endpointOf({ metadata, spec, status }: Pod, port: number): ir.Endpoint[] {
  const [first] = status?.podIPs ?? [];
  if (!first) return [];
  const zone = metadata.labels?.[zoneLabel];
  const health = metadata.deletionTimestamp === undefined ? 'ready' : 'draining';
  return [{ address: first.ip, port, ...(zone && { zone }), ...(spec?.nodeName && { node: spec.nodeName }), health }];
}
