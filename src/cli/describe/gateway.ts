import { isProblem } from '../../gateway-api/index.ts';
import type { AdminClient } from '../kit/admin-client.ts';
import { scopesOf } from '../kit/conditions.ts';
import type { Wire } from '../kit/wire.ts';
import { accessSection } from './access.ts';
import { attempt } from './attempt.ts';
import { conditionSection } from './conditions.ts';
import type { Found } from './find-object.ts';
import { eventSection, eventsOf, problemSection } from './history.ts';
import { policiesFor, policySection } from './policies.ts';
import { limitSection } from './rate-limit-policies.ts';
import { type Description, type Section, section } from './section.ts';
import { describeStored } from './stored.ts';
import { trafficSection } from './traffic-policies.ts';

type Listener = Wire['listener'];

/** A Gateway: its addresses, listeners, ListenerSets and proxies. One of another controller's class has only its stored object. */
export async function describeGateway(client: AdminClient, found: Found, now: Date): Promise<Description> {
  const { namespace, name } = found;
  const ours = await client.get<readonly Wire['gateway'][]>(`/v1/gateways?${new URLSearchParams({ namespace, name })}`);
  const [gateway] = ours;
  if (gateway === undefined) return await describeStored(client, found, now);
  const listeners = await listenersOf(client, `${namespace}/${name}`);
  const own = listeners.filter(({ source }) => source === 'Gateway');
  const scopes = { conditions: gateway.conditions, listeners: gateway.listeners };
  const sections = await Promise.all([
    conditionSection(
      scopesOf(scopes).map((each) => (each.scope === '' ? each : { ...each, scope: `listener ${each.scope}` })),
    ),
    section('listeners', own, own.map(listenerLine)),
    setSection(listeners),
    attempt('proxies', () => proxySection(client, gateway)),
    attempt('policies', async () => policySection(await policiesFor(client, [found]))),
    attempt('access', () => accessSection(client, 'target', `Gateway/${namespace}/${name}`)),
    attempt('traffic', () => trafficSection(client, `Gateway/${namespace}/${name}`)),
    attempt('limits', () => limitSection(client, `Gateway/${namespace}/${name}`)),
    problemSection(client, [`Gateway/${namespace}/${name}`, ...listeners.map((each) => `Listener//${each.name}`)]),
    eventSection(client, eventsOf(found), now),
  ]);
  const all = [...gateway.conditions, ...gateway.listeners.flatMap(({ conditions }) => conditions)];
  const isProgrammed = gateway.conditions.some(({ type, status }) => type === 'Programmed' && status === 'True');
  const isWell = !all.some(isProblem);
  const facts = {
    class: gateway.gatewayClass,
    addresses: gateway.addresses.map(({ value }) => value).join(', '),
    routes: String(new Set(listeners.flatMap(({ routes }) => routes.map((each) => JSON.stringify(each)))).size),
  };
  const state = isProgrammed ? (isWell ? 'served' : 'served in part') : 'not served';
  return { ...found, state, isWell, facts, sections };
}

export const listenersOf = (client: AdminClient, gateway: string): Promise<readonly Listener[]> =>
  client.get<readonly Listener[]>(`/v1/listeners?${new URLSearchParams({ gateway })}`);

export function listenerLine({
  section: name,
  protocol,
  port,
  hostname,
  attachedRoutes,
  tls,
  programmed,
}: Listener): string {
  const certificates = (tls?.certificates ?? []).map((each) => `certificate ${each.namespace}/${each.name}`);
  const routes = `${attachedRoutes} route${attachedRoutes === 1 ? '' : 's'}`;
  return [
    `${name}: ${protocol}/${port}`,
    hostname ?? 'any host',
    routes,
    ...certificates,
    ...(programmed ? [] : ['not served']),
  ].join(', ');
}

/** Listeners that ListenerSets add. */
function setSection(all: readonly Listener[]): Section {
  const added = all.filter(({ source }) => source === 'ListenerSet');
  return section(
    'listenersOfSets',
    added,
    added.map((each) => `${each.name}, ${listenerLine(each)}`),
  );
}

async function proxySection(client: AdminClient, { namespace, name }: Wire['gateway']): Promise<Section> {
  const nodes = await client.get<readonly Wire['sync']['nodes'][number][]>(
    `/v1/nodes?${new URLSearchParams({ gateway: `${namespace}/${name}` })}`,
  );
  const known = new Set(nodes.map(({ nodeId }) => nodeId));
  const { nodes: all } = await client.get<Wire['sync']>('/v1/snapshot-sync');
  const states = all.filter(({ nodeId }) => known.has(nodeId));
  const lines = states.map(
    ({ nodeId, state, message }) => `${nodeId}: ${state}${state === 'current-ready' ? '' : `, ${message}`}`,
  );
  return section('proxies', states, lines.length > 0 ? lines : ['none has connected: see whether its pods run']);
}
