import type { AdminClient } from '../kit/admin-client.ts';
import type { Wire } from '../kit/wire.ts';
import { attempt } from './attempt.ts';
import type { Found } from './find-object.ts';
import { eventSection, eventsOf, problemSection } from './history.ts';
import { policiesFor, policySection } from './policies.ts';
import { type Description, type Section, section } from './section.ts';

type Backend = Wire['backend'];

/** A Service as a backend: the ports that routes use, each endpoint as Kubernetes and as proxies have it, who forwards to it. */
export async function describeService(client: AdminClient, found: Found, now: Date): Promise<Description> {
  const { namespace, name } = found;
  const [services, backends] = await Promise.all([
    client.get<readonly Wire['service'][]>(`/v1/service-catalog?${new URLSearchParams({ namespace, name })}`),
    client.get<readonly Backend[]>(`/v1/backends?${new URLSearchParams({ namespace, service: name })}`),
  ]);
  const [service] = services;
  const routes = [
    ...new Set(
      backends.flatMap(({ referencedBy }) => referencedBy.map((ref) => `${ref.kind} ${ref.namespace}/${ref.name}`)),
    ),
  ];
  const sections = await Promise.all([
    attempt('endpoints', () => endpointSection(client, backends)),
    section('usedBy', routes, routes.length > 0 ? routes : ['no route forwards to it']),
    attempt('policies', async () => policySection(await policiesFor(client, [found]))),
    problemSection(
      client,
      backends.map((backend) => `Backend/${namespace}/${backend.name}`),
    ),
    eventSection(client, eventsOf(found), now),
  ]);
  const { ready = 0, total = 0 } = service?.endpoints ?? {};
  const facts = {
    type: service?.type ?? '',
    ports: (service?.ports ?? [])
      .map(({ port, protocol, name: its }) => `${port}/${protocol}${its === null ? '' : ` (${its})`}`)
      .join(', '),
  };
  return { ...found, state: `${ready} of ${total} endpoints ready`, isWell: ready > 0, facts, sections };
}

/** So many proxies are asked for how they see the endpoints. */
const mostAsked = 3;

interface Seen {
  readonly node: string;
  readonly healthy: boolean;
  readonly failure: string | null;
}

interface ReportedBackend {
  readonly name: string;
  readonly namespace: string;
  readonly endpoints: readonly {
    readonly address: string;
    readonly healthy: boolean;
    readonly failure: string | null;
  }[];
}

async function endpointSection(client: AdminClient, backends: readonly Backend[]): Promise<Section> {
  const seen = backends.length === 0 ? new Map<string, Seen[]>() : await seenByProxies(client);
  const data = backends.map(({ name, protocol, hostname, tls, problem, endpoints }) => ({
    backend: name,
    protocol,
    hostname,
    tls,
    problem,
    endpoints: endpoints.map((endpoint) => ({ ...endpoint, proxies: seen.get(`${name} ${endpoint.address}`) ?? [] })),
  }));
  const lines = data.flatMap(({ backend, protocol, hostname, tls, problem, endpoints }) => [
    `${backend}, ${protocol}${tls === null ? '' : `, TLS as ${tls.hostname}${unverified(tls)}`}${problem === null ? '' : `: ${problem}`}`,
    ...endpoints.map(({ address, proxies, ...endpoint }) => `  ${address}: ${verdictOf(endpoint, proxies)}`),
    ...(hostname ? [`  found by DNS as ${hostname}`] : []),
    ...(endpoints.length === 0 && !hostname
      ? ['  none: the selector of the Service fits no pod, or it has no EndpointSlice']
      : []),
  ]);
  return section('endpoints', data, lines.length > 0 ? lines : ['no route forwards to it, so no proxy knows them']);
}

const unverified = ({ verification }: NonNullable<Backend['tls']>): string =>
  verification === 'none' ? ', NOT VERIFIED by its certificate' : '';

/** Kubernetes' word, then that of each proxy which has another opinion. */
function verdictOf(
  { healthy, ready, serving, terminating }: Omit<Backend['endpoints'][number], 'address'>,
  proxies: readonly Seen[],
): string {
  const word = terminating ? (serving ? 'terminating, still serving' : 'terminating') : ready ? 'ready' : 'not ready';
  const against = proxies.filter((proxy) => !proxy.healthy);
  const faults = against.map(
    ({ node, failure }) => `${node} sends it nothing${failure === null ? '' : ` (${failure})`}`,
  );
  const all = proxies.length > 0 && faults.length === 0 && healthy ? ['healthy at the proxies asked'] : faults;
  return [word, ...all].join('; ');
}

/** How the first connected proxies see their endpoints, by `SERVICE:PORT ADDRESS`; those that do not answer are left out. */
async function seenByProxies(client: AdminClient): Promise<ReadonlyMap<string, Seen[]>> {
  const nodes = await client.get<readonly Wire['node'][]>('/v1/nodes?connected=true');
  const reports = await Promise.allSettled(
    nodes.slice(0, mostAsked).map(async ({ nodeId, gateway }) => {
      const path = `/v1/dataplanes/${encodeURIComponent(nodeId)}/reports/backends?${new URLSearchParams({ gateway })}`;
      return { node: nodeId, backends: await client.get<readonly ReportedBackend[]>(path) };
    }),
  );
  const seen = new Map<string, Seen[]>();
  for (const report of reports) {
    if (report.status === 'rejected') continue;
    const { node, backends } = report.value;
    for (const { name, endpoints } of backends) {
      for (const { address, healthy, failure } of endpoints) {
        const key = `${name} ${address}`;
        seen.set(key, [...(seen.get(key) ?? []), { node, healthy, failure }]);
      }
    }
  }
  return seen;
}
