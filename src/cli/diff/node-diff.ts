import { isDeepStrictEqual } from 'node:util';
import type { AdminClient } from '../kit/admin-client.ts';
import { CliError } from '../kit/cli-error.ts';
import { unified } from '../kit/unified.ts';
import type { Wire } from '../kit/wire.ts';
import { type HeldResource, heldResources } from './config-dump.ts';

/** One resource that a data plane holds otherwise than it is sent. */
export interface NodeDifference {
  readonly type: string;
  readonly name: string;
  readonly state: 'missing' | 'different' | 'unknown to the control plane';
  /** What it is sent, in protobuf JSON. */
  readonly sent: unknown;
  /** What Envoy says that it has. */
  readonly held: unknown;
}

/**
 * What a data plane really holds, by Envoy's own dump, against what the control plane sends it. Of endpoints, it compares addresses, weights
 * and zones, because Envoy shows no more. It does not compare secret content, because neither side shows it.
 */
export async function nodeDiff(client: AdminClient, node: string): Promise<readonly NodeDifference[]> {
  const id = encodeURIComponent(node);
  const [sent, dump] = await Promise.all([
    client.get<Wire['envoySnapshot']>(`/v1/snapshot?format=envoy&node=${id}`, 60_000),
    client.get<unknown>(`/v1/dataplanes/${id}/reports/config-dump`, 60_000),
  ]);
  const held = new Map(heldResources(dump).map((resource) => [keyOf(resource), resource]));
  if (held.size === 0 && sent.resources.length > 0) throw new CliError(`data plane ${node} holds nothing yet`);
  const expected = sent.resources.map(({ typeUrl, name, resource }) => ({
    type: shortType(typeUrl),
    name,
    body: resource,
  }));
  const known = new Set(expected.map(keyOf));
  return [
    ...expected.flatMap((resource) => differenceOf(resource, held.get(keyOf(resource)))),
    ...[...held.values()]
      .filter((resource) => !known.has(keyOf(resource)))
      .map(({ type, name, body }) => ({
        type,
        name,
        state: 'unknown to the control plane' as const,
        sent: null,
        held: body,
      })),
  ];
}

export function nodeDiffText(differences: readonly NodeDifference[]): string {
  if (differences.length === 0) return 'the data plane holds what it is sent';
  const parts = differences.map(({ type, name, sent, held }) =>
    unified({ before: `sent/${type} ${name}`, after: `held/${type} ${name}` }, sent, held),
  );
  return [...parts, `${differences.length} ${differences.length === 1 ? 'resource differs' : 'resources differ'}`].join(
    '\n',
  );
}

const keyOf = ({ type, name }: Pick<HeldResource, 'type' | 'name'>): string => `${type} ${name}`;

const shortType = (typeUrl: string): string => typeUrl.slice(typeUrl.lastIndexOf('.') + 1);

function differenceOf({ type, name, body }: HeldResource, held: HeldResource | undefined): readonly NodeDifference[] {
  if (!held) return [{ type, name, state: 'missing', sent: comparable(type, body), held: null }];
  const [sentBody, heldBody] = [comparable(type, body), comparable(type, held.body)];
  if (isDeepStrictEqual(sentBody, heldBody)) return [];
  return [{ type, name, state: 'different', sent: sentBody, held: heldBody }];
}

type Json = Readonly<Record<string, unknown>>;

/** What both sides say of a resource. */
function comparable(type: string, body: unknown): unknown {
  if (type === 'Secret') return { name: (body as Json).name };
  if (type === 'ClusterLoadAssignment') return endpointsOf(body as Json);
  const { '@type': _, ...rest } = body as Json;
  return rest;
}

/** Envoy lists endpoints as it keeps them: in an order of its own, with its own view of their health. */
function endpointsOf({ endpoints = [] }: Json): readonly string[] {
  return (endpoints as readonly Json[])
    .flatMap(({ locality, priority = 0, lb_endpoints = [] }) =>
      (lb_endpoints as readonly Json[]).map(({ endpoint, load_balancing_weight = 1 }) => {
        const { address, port_value } = socketOf(endpoint as Json);
        const zone = (locality as Json | undefined)?.zone;
        return `${address}:${port_value} weight ${load_balancing_weight} priority ${priority}${zone ? ` in ${zone}` : ''}`;
      }),
    )
    .sort();
}

const socketOf = ({ address }: Json): Json => ((address as Json | undefined)?.socket_address ?? {}) as Json;
