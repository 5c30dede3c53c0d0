import { type KindFacts, kinds } from '../../gateway-api/index.ts';
import { didYouMean } from '../../std/index.ts';
import type { AdminClient } from '../kit/admin-client.ts';
import { CliError } from '../kit/cli-error.ts';
import type { Wire } from '../kit/wire.ts';

/** What can be described: a kind of stored object by its name, any route, or a data plane. */
export type DescribedKind = KindFacts['name'];

/** An object by what its user wrote. */
export interface Wanted {
  readonly kind: DescribedKind;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** One that exists. */
export interface Found {
  readonly kind: DescribedKind;
  /** Empty for what has none. */
  readonly namespace: string;
  readonly name: string;
}

/** What else than objects has a description, with the words for it. */
const others: Readonly<Record<string, readonly string[]>> = {
  Route: ['route', 'routes'],
  Node: ['node', 'nodes', 'proxy', 'proxies'],
};

/** Kinds that are read but not described: their content is secret, or not ours to report. */
const left: readonly string[] = ['Namespace', 'ConfigMap', 'Secret', 'EndpointSlice', 'Pod', 'ClusterTrustBundle'];

const words: ReadonlyMap<string, DescribedKind> = new Map([
  ...Object.values<KindFacts>(kinds)
    .filter(({ name }) => !left.includes(name))
    .flatMap(({ name, plural, shortNames }) =>
      [name.toLowerCase(), plural, ...shortNames].map((word) => [word, name] as const),
    ),
  ...['backend', 'backends', 'svc'].map((word) => [word, 'Service'] as const),
  ...Object.entries(others).flatMap(([kind, its]) => its.map((word) => [word, kind] as const)),
]);

/** The kinds that can be described, for messages and for completion. */
export const describedKinds: readonly string[] = [...new Set(words.values())].map((kind) => kind.toLowerCase());

/** Reads `KIND NAME`, `KIND/NAME`, and a name that has its namespace in front. Throws a CliError for a kind that there is not. */
export function wantedOf(what: string, second: string | undefined, namespace: string | undefined): Wanted {
  const [word = '', ...rest] = what.split('/');
  const parts = [...rest, ...(second === undefined ? [] : second.split('/'))];
  const kind = words.get(word.toLowerCase());
  if (kind === undefined)
    throw new CliError(
      `there is no kind ${JSON.stringify(word)}${didYouMean(word, describedKinds)}; known are ${describedKinds.join(', ')}`,
    );
  const name = parts.at(-1);
  if (name === undefined || name === '' || parts.length > 2)
    throw new CliError(`say which ${kind}: gatewright describe ${kind.toLowerCase()} NAME, or NAMESPACE/NAME`);
  return { kind, name, namespace: namespace ?? (parts.length === 2 ? parts[0] : undefined) };
}

interface Listed {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The one object that is meant. Throws a CliError that has the nearest name when there is none, and all of them when there are several. */
export async function findObject(client: AdminClient, wanted: Wanted): Promise<Found> {
  const query = new URLSearchParams({
    name: wanted.name,
    ...(wanted.namespace !== undefined && { namespace: wanted.namespace }),
  });
  const found = await list(client, wanted.kind, query);
  const [first, ...more] = found;
  if (first === undefined) throw await missing(client, wanted);
  if (more.length === 0) return first;
  const names = found.map(({ kind, namespace, name }) => `${kind.toLowerCase()} ${namespace}/${name}`);
  throw new CliError(
    `${found.length} of them are named ${JSON.stringify(wanted.name)}; say which one: ${names.slice(0, 10).join(', ')}`,
  );
}

async function missing(client: AdminClient, { kind, namespace, name }: Wanted): Promise<CliError> {
  const all = await list(client, kind, new URLSearchParams({ limit: '500' }));
  const elsewhere = all.filter((each) => each.name === name);
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  const advice =
    elsewhere.length > 0
      ? `; there is ${elsewhere.map((each) => `${each.namespace}/${each.name}`).join(', ')}`
      : didYouMean(
          name,
          all.map((each) => each.name),
        );
  const none = all.length === 0 ? `; there is no ${kind} at all` : '';
  const invalid = await invalidFile(client, `${kind} ${namespace ?? ''}`, name);
  return new CliError(`there is no ${kind} ${JSON.stringify(name)}${where}${invalid ?? `${advice}${none}`}`);
}

/** Of a directory, an object that its file has and that is not valid. */
async function invalidFile(client: AdminClient, kindAndNamespace: string, name: string): Promise<string | undefined> {
  const { items } = await client.get<Wire['problems']>('/v1/problems?area=file&limit=500');
  const found = items.find(({ message }) => message.includes(` ${kindAndNamespace}`) && message.includes(`/${name}: `));
  return found && `: its file is not valid: ${found.message}`;
}

/** Objects of a kind, as a page of the admin API lists them. */
export async function list(client: AdminClient, kind: DescribedKind, query: URLSearchParams): Promise<Found[]> {
  const clusterScope = '_cluster';
  const rows = await client.get<readonly Partial<Listed & { nodeId: string }>[]>(pathOf(kind, query));
  return rows.map(({ kind: its = kind, namespace = '', name = '', nodeId }) => ({
    kind: kind === 'Route' ? its : kind,
    namespace: namespace === clusterScope ? '' : namespace,
    name: nodeId ?? name,
  }));
}

function pathOf(kind: DescribedKind, query: URLSearchParams): string {
  if (kind === 'Node') return `/v1/nodes?${query}`;
  if (kind === 'Route') return `/v1/routes?${query}`;
  if (kind === 'Ingress') return `/v1/ingresses?${query}`;
  if (kind === 'Service') return `/v1/service-catalog?${query}`;
  return `/v1/resources?${new URLSearchParams({ kind, ...Object.fromEntries(query) })}`;
}
