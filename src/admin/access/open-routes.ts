import * as z from 'zod';
import { objectKey } from '../../gateway-api/index.ts';
import type { GraphView } from '../../graph/index.ts';
import * as ir from '../../ir/index.ts';
import { demandsOnHost } from '../../offline/access/index.ts';
import { inTurns, type Steps } from '../../std/steps/index.ts';
import { count, named } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';
import { ruleNamesAt } from '../route-test/access-question.ts';
import { findRouteKind } from '../routes/route-kinds.ts';
import type { AdminSources } from '../sources.ts';

export const openRoute = named('OpenRoute', 'A route of which some rules demand no login.', {
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  rules: z.array(count).describe('Positions of these rules, from 0.'),
  ruleNames: z.array(z.string().nullable()).describe('Names of these rules, in the same order; null: it has none.'),
  host: z.string().describe('One of its hosts.'),
});

export type OpenRoute = Shown<typeof openRoute>;

/** Whether a part asks who the client is. A part without an entry does not compile. */
const isLogin: Readonly<Record<ir.AccessPart, boolean>> = {
  clientIPs: false,
  clientCertificates: true,
  csrf: false,
  oidc: true,
  any: true,
  apiKeys: true,
  basicAuth: true,
  jwt: true,
  forwardAuth: true,
  authorization: false,
};
const logins = ir.accessParts.filter((part) => isLogin[part]);

/** Routes that every client may call that reaches the proxy. Looks at every route, with turns for others between. */
export const openRoutes = ({ graph }: AdminSources): Promise<OpenRoute[]> => inTurns(findOpen(graph));

function* findOpen(graph: GraphView): Steps<OpenRoute[]> {
  const found = new Map<string, { readonly host: string; readonly rules: Set<number> }>();
  for (const { tables } of graph.snapshot()?.gateways.values() ?? []) {
    for (const { access, exact, fallback } of tables.values()) {
      for (const { host, routes } of [...exact.values(), ...fallback.values()]) {
        const table = demandsOnHost(access, host);
        for (const route of routes) if (isOpen(table, route)) note(found, host, route);
        yield;
      }
    }
  }
  return [...found].map(([route, { host, rules }]) => {
    const [, word = '', namespace = '', name = ''] = /^([^/]+)\/([^/]+)\/(.+)$/.exec(route) ?? [];
    const positions = [...rules].sort((a, b) => a - b);
    const names = ruleNamesAt(graph, word, objectKey(namespace, name));
    const ruleNames = positions.map((rule) => names[rule] ?? null);
    return { kind: findRouteKind(word) ?? word, namespace, name, rules: positions, ruleNames, host };
  });
}

/** An optional token is none. A server of the route's own filters asks for what it likes. */
function isOpen(table: readonly ir.TableAccess[], { rule: { filters = {} } }: ir.Route): boolean {
  const { access = {}, externalAuth = [] } = filters;
  const { overrides = [], route, rule } = access;
  const ofTable = logins.some((part) =>
    table.some((demand) => asks(demand, part) && !ir.partsSwitchedOff(demand, overrides).includes(part)),
  );
  return !ofTable && externalAuth.length === 0 && !logins.some((part) => asks(route, part) || asks(rule, part));
}

const asks = (access: ir.Access | undefined, part: ir.AccessPart): boolean =>
  access !== undefined &&
  ((access[part] !== undefined && !(part === 'jwt' && access.jwt?.optional)) || (access.closed ?? []).includes(part));

function note(found: Map<string, { host: string; rules: Set<number> }>, host: string, { id }: ir.Route): void {
  const { kind, namespace, name, rule } = ir.parseRouteId(id);
  const key = `${kind}/${namespace}/${name}`;
  const known = found.get(key) ?? { host, rules: new Set<number>() };
  known.rules.add(rule);
  found.set(key, known);
}
