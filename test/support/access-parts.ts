import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import * as ir from '../../src/ir/index.ts';
import type { EnvoyResource } from '../../src/translate/index.ts';
import { type HttpAnswer, type HttpRequest, send, startBackend } from './http.ts';
import { httpListener, route, snapshotOf, table, tableGuards, translateAll, virtualHost } from './ir.ts';
import { startProxy } from './ir-proxy.ts';

const key = 'http/80';
export const exactHost = 'a.test';
export const lateHost = 'b.wild.test';
export const sensitive = (text: string) => new ir.Sensitive(Buffer.from(text));

export interface World {
  readonly ask: (
    host: string,
    more?: { path?: string; method?: string; headers?: Record<string, string> },
  ) => Promise<number>;
  readonly answer: (host: string, more?: Omit<HttpRequest, 'host'>) => Promise<HttpAnswer>;
  /** Headers that the backend saw last. */
  readonly seen: () => Record<string, string | string[] | undefined>;
  readonly serve: (demands: Demands) => Promise<void>;
}

export interface Demands {
  readonly table?: ir.Access & { readonly overridable?: readonly ir.AccessPart[] };
  readonly route?: ir.RouteAccess;
}

function resources(
  { table: demanded, route: access }: Demands,
  backends: Record<string, number>,
): readonly EnvoyResource[] {
  const routes = [route('r', '/', access ? { filters: { access } } : {})];
  const made = table(key, {
    exact: [virtualHost(exactHost, routes)],
    fallback: [virtualHost('*.wild.test', routes)],
  });
  const guards = demanded && tableGuards(demanded);
  const snapshot = snapshotOf({
    listeners: [httpListener(key)],
    tables: [{ ...made, ...(guards && { access: guards }) }],
    backends,
  });
  const known = snapshot.backends.map(
    (each): ir.Backend => (each.service === 'grpc' ? { ...each, protocol: 'h2c' } : each),
  );
  return translateAll({ ...snapshot, backends: known });
}

export async function world(
  t: ExecutionContext,
  more: Record<string, number> = {},
  answerOfWeb?: Parameters<typeof startBackend>[1],
  clusters: readonly object[] = [],
): Promise<World> {
  const web = await startBackend(t, answerOfWeb);
  const backends = { web: web.port, ...more };
  const content = {
    listeners: [httpListener(key)],
    tables: [
      table(key, {
        exact: [virtualHost(exactHost, [route('r', '/')])],
        fallback: [virtualHost('*.wild.test', [route('r', '/')])],
      }),
    ],
    backends,
  };
  const proxy = await startProxy(t, content, 'delta', clusters);
  const port = await proxy.envoy.port(key);
  return {
    serve: async (demands) => proxy.apply(resources(demands, backends)),
    answer: (host, asked = {}) => send(port, { host, ...asked }),
    ask: async (host, asked = {}) => (await send(port, { host, ...asked })).status,
    seen: () => web.seen.at(-1) ?? {},
  };
}

/** Every place where a part may be demanded. */
export const places: readonly (readonly [string, (access: ir.Access) => Demands])[] = [
  ['of the table', (access) => ({ table: access })],
  ['of the table, and may be switched off', (access) => ({ table: { ...access, overridable: ir.accessParts } })],
  ['of the route', (access) => ({ route: { route: access } })],
  ['of the rule', (access) => ({ route: { rule: access } })],
];

export interface Tried {
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly path?: string;
  readonly status: number;
  /** Headers that the backend must have seen; `undefined`: it must not. */
  readonly seen?: Record<string, string | undefined>;
}

export const everywhere = test.macro({
  async exec(t: ExecutionContext, access: ir.Access, tries: readonly Tried[]) {
    const { ask, serve, seen } = await world(t);
    for (const [place, demands] of places) {
      await serve(demands(access));
      for (const host of [exactHost, exactHost.toUpperCase(), lateHost]) {
        for (const tried of tries) {
          const { status, seen: expected = {}, ...asked } = tried;
          t.is(await ask(host, asked), status, `${place}, ${host}: ${JSON.stringify(tried)}`);
          for (const [name, value] of Object.entries(expected)) t.is(seen()[name], value, `${place}, ${host}: ${name}`);
        }
      }
    }
    await serve({});
    t.is(await ask(exactHost), 200, 'nothing is demanded any more');
  },
  title: (title = '') => title,
});

export const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
export const sha = (password: string) => `{SHA}${createHash('sha1').update(password).digest('base64')}`;
