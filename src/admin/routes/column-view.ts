import * as z from 'zod';
import { keyOf, type RouteState, routeState } from '../../gateway-api/index.ts';
import type { Steps } from '../../std/steps/index.ts';
import { count, named } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';
import type { AdminSources } from '../sources.ts';
import { routeKinds } from './route-kinds.ts';
import { hostnamesOf, parentsOf, type RouteObject } from './route-record.ts';

const index = z.array(count);

export const routeColumnView = named(
  'RouteColumns',
  'Routes as columns: entry N of each column is about the same route. A page can hold all routes of a cluster this way.',
  {
    snapshotVersion: z.string().nullable().describe('The newest snapshot when this was made; null before the first.'),
    revision: z.string().describe('Changes with each change of the routes; it is also the ETag.'),
    dict: named('RouteDictionary', 'What numbers in `kind`, `gw` and `state` stand for.', {
      kind: z.array(z.string()).describe('Kinds.'),
      gateway: z
        .array(z.string())
        .describe('`NAMESPACE/NAME` of parents; of one that is no Gateway with its kind before.'),
      state: z.array(z.string()).describe('`served`, `degraded` or `failed`.'),
    }),
    kind: index.describe('Positions in `dict.kind`.'),
    ns: z.array(z.string()).describe('Namespaces.'),
    name: z.array(z.string()).describe('Names.'),
    host: z.array(z.string()).describe('The first host name; empty: the route has none.'),
    more: index.describe('How many host names it has beside.'),
    gw: z.array(z.int().min(-1)).describe('Positions in `dict.gateway` of the first parent; -1: none.'),
    state: index.describe('Positions in `dict.state`.'),
    changed: z
      .array(z.int().min(0))
      .describe(
        'When it was created, or a condition last changed as far as the cluster says: seconds since 1970; 0: not known.',
      ),
  },
);

export type RouteColumns = Shown<typeof routeColumnView>;

export const routeStates: readonly RouteState[] = ['served', 'degraded', 'failed'];

export const stateOf = (route: RouteObject, sources: Pick<AdminSources, 'graph' | 'controllerName'>): RouteState =>
  routeState(parentsOf(route, sources));

/** Some 50 bytes a route, where its record has 600; one step each. */
export function* columnsOf(page: readonly RouteObject[], revision: string, sources: AdminSources): Steps<RouteColumns> {
  const snapshotVersion = sources.graph.snapshot()?.id ?? null;
  const gateways = new Map<string, number>();
  const columns = {
    kind: [] as number[],
    ns: [] as string[],
    name: [] as string[],
    host: [] as string[],
    more: [] as number[],
    gw: [] as number[],
    state: [] as number[],
    changed: [] as number[],
  };
  for (const route of page) {
    const [host = '', ...more] = hostnamesOf(route);
    columns.kind.push(kinds.indexOf(route.kind));
    columns.ns.push(route.metadata.namespace ?? '');
    columns.name.push(route.metadata.name);
    columns.host.push(host);
    columns.more.push(more.length);
    columns.gw.push(positionOf(parentOf(route), gateways));
    columns.state.push(routeStates.indexOf(stateOf(route, sources)));
    columns.changed.push(changedAt(route));
    yield;
  }
  const dict = { kind: kinds, gateway: [...gateways.keys()], state: routeStates };
  return { snapshotVersion, revision, dict, ...columns };
}

const kinds: readonly string[] = routeKinds.map(({ kind }) => kind);

function parentOf(route: RouteObject): string | undefined {
  const [parent] = route.spec.parentRefs ?? [];
  if (parent === undefined) return undefined;
  const key = `${parent.namespace ?? route.metadata.namespace}/${parent.name}`;
  return (parent.kind ?? 'Gateway') === 'Gateway' ? key : `${parent.kind} ${key}`;
}

function positionOf(text: string | undefined, known: Map<string, number>): number {
  if (text === undefined) return -1;
  const position = known.get(text) ?? known.size;
  known.set(text, position);
  return position;
}

interface StoredParent {
  readonly conditions?: readonly { readonly lastTransitionTime?: string }[];
}

function changedAt({ metadata, status }: RouteObject): number {
  const parents = (status?.parents ?? []) as readonly StoredParent[];
  const times = parents.flatMap(({ conditions = [] }) => conditions.map((each) => each.lastTransitionTime));
  const moments = [metadata.creationTimestamp, ...times].map((text) => Date.parse(text ?? '') || 0);
  return Math.floor(Math.max(...moments) / 1000);
}

/** By what a person would type: parts of its name, its namespace, its host names. */
export function containsText(text: string): (route: RouteObject) => boolean {
  const wanted = text.toLowerCase();
  return (route) =>
    keyOf(route).includes(wanted) || hostnamesOf(route).some((hostname) => hostname.toLowerCase().includes(wanted));
}
