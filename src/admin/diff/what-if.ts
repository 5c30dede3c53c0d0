import { isDeepStrictEqual } from 'node:util';
import { type KindName, type KubernetesObject, parseObjectKey, type Status } from '../../gateway-api/index.ts';
import type { StatusChange } from '../../graph/index.ts';
import { weakerAccess } from '../../offline/access/index.ts';
import { inTurns } from '../../std/steps/index.ts';
import { type EnvoyResource, type GatewayChange, namesSentFor, Translator } from '../../translate/index.ts';
import { isForEarlier, sentFor } from '../../xds/index.ts';
import { envoyResourceRecord } from '../snapshot/envoy-resources.ts';
import type { AdminSources } from '../sources.ts';
import { ingressDifferences } from './ingress-differences.ts';
import { irDifferences } from './ir-differences.ts';
import type { DiffRecord, EnvoyDifference, IngressDifference, IrDifference, StatusDifference } from './record.ts';

/** An object as it would be. */
export interface ProposedObject {
  readonly kind: KindName;
  readonly object: KubernetesObject;
}

/** Keys and certificates are named, and not shown: two Envoy resources that look the same may differ in what is not shown. */
export interface Consequences {
  readonly ir: readonly IrDifference[];
  readonly weaker: DiffRecord['weaker'];
  readonly statuses: readonly StatusDifference[];
  readonly ingresses: readonly IngressDifference[];
  readonly envoy: readonly EnvoyDifference[];
}

/**
 * What would happen to statuses and of what proxies are sent if these objects were there. Tried on a copy of the graph, which is made with turns for
 * others between: no request waits for it, and no proxy is served from it. Throws a BuildFault when there would be more than the limits allow.
 */
export async function whatIf(sources: AdminSources, proposals: readonly ProposedObject[]): Promise<Consequences> {
  const now = sources.now();
  const copy = await inTurns(sources.graph.copy(now));
  for (const { kind, object } of proposals) copy.upsert(kind, object as never);
  const { ingresses } = sources;
  const isConcerned = proposals.some(({ kind }) => concernsIngresses.has(kind));
  const served = isConcerned && ingresses.deriveInto ? await inTurns(ingresses.deriveInto(copy)) : undefined;
  const { snapshot, changes, statuses } = copy.build(now);
  return {
    ir: [...changes].flatMap(irDifferences),
    weaker: weakerAccess([...changes], snapshot).map(({ route = null, ...each }) => ({ ...each, route })),
    statuses: statuses
      .map((change) => statusDifference(change, sources.graph.statusOf(change.kind, change.key)))
      .filter(({ before, after }) => !isDeepStrictEqual(before, after)),
    ingresses: served
      ? ingressDifferences(sources, {
          served,
          proposed: proposals.flatMap(({ kind, object }) => (kind === 'Ingress' ? [object] : [])),
          find: (kind, key) => copy.find(kind, key),
        })
      : [],
    envoy: new Translator(copy.userCode)
      .translate(snapshot, changes)
      .flatMap((change) => envoyDifferences(sources, change)),
  };
}

/** What Ingresses are made with. */
const concernsIngresses: ReadonlySet<KindName> = new Set<KindName>([
  'Ingress',
  'IngressClass',
  'Gateway',
  'Service',
  'Secret',
  'ConfigMap',
]);

const statusDifference = ({ kind, key, status }: StatusChange, before: Status | undefined): StatusDifference => ({
  kind,
  ...parseObjectKey(key),
  before: comparable(before ?? null),
  after: comparable(status ?? null),
});

/** Without what every change of an object changes, and without what only its proxies can say. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((entry) => !isProgrammed(entry)).map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const { observedGeneration: _, ...rest } = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(Object.entries(rest).map(([key, field]) => [key, comparable(field)]));
}

const isProgrammed = (entry: unknown): boolean =>
  typeof entry === 'object' && entry !== null && (entry as { readonly type?: unknown }).type === 'Programmed';

function envoyDifferences(
  sources: AdminSources,
  { gateway, upserts, removals, gone }: GatewayChange,
): EnvoyDifference[] {
  const sent = new Map([...sources.resourcesOf(gateway)].map((resource) => [idOf(resource), resource]));
  const removed = gone
    ? [...sent.values()]
    : removals.flatMap(withPieces).flatMap((removal) => sent.get(idOf(removal)) ?? []);
  const asked = upserts.filter((resource) => !isForEarlier(resource)).flatMap(sentFor);
  const changed = asked.filter((resource) => sent.get(idOf(resource))?.version !== resource.version);
  return [
    ...changed.map((after) => envoyDifference(gateway, sent.get(idOf(after)), after)),
    ...removed.map((before) => envoyDifference(gateway, before, undefined)),
  ];
}

const withPieces = ({ typeUrl, name }: Pick<EnvoyResource, 'typeUrl' | 'name'>) =>
  namesSentFor(name).map((each) => ({ typeUrl, name: each }));

const idOf = ({ typeUrl, name }: Pick<EnvoyResource, 'typeUrl' | 'name'>): string => `${typeUrl} ${name}`;

function envoyDifference(
  gateway: string,
  before: EnvoyResource | undefined,
  after: EnvoyResource | undefined,
): EnvoyDifference {
  const { typeUrl, name } = (after ?? before) as EnvoyResource;
  const shown = (resource: EnvoyResource | undefined) => (resource ? envoyResourceRecord(resource).resource : null);
  const operation = before && after ? 'updated' : after ? 'created' : 'deleted';
  return { gateway, typeUrl, name, operation, before: shown(before), after: shown(after) };
}
