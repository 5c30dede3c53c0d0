import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { ExecutionContext } from 'ava';
import { backend, startWorld } from './graph-proxy.ts';
import { startBackend } from './http.ts';
import { gateway, httpRoute, ownObject } from './objects.ts';
import { until } from './until.ts';

/** A gateway whose access log is read, with routes on a host that a table has, and on those of a wildcard that are found late. */

const rules = [
  {
    matches: [{ path: { type: 'PathPrefix', value: '/moved' } }],
    filters: [{ type: 'RequestRedirect', requestRedirect: { hostname: 'moved.test' } }],
  },
  { backendRefs: [{ name: 'web', port: 80 }] },
];
const route = (name: string, hostname: string) => httpRoute(name, { hostnames: [hostname], rules: rules as never });
const hosts = ['exact.test', 'late.wide.test'];

const targetRefs = (kind: string, ...names: readonly string[]) =>
  names.map((name) => ({ group: 'gateway.networking.k8s.io', kind, name }));

export const ofRoutes = (accessLog: object, mode = 'Default') =>
  ownObject('TrafficPolicy', 'some', { targetRefs: targetRefs('HTTPRoute', 'exact', 'wide'), mode, accessLog });

export const ofGateway = (accessLog: object, mode: string) =>
  ownObject('TrafficPolicy', 'all', { targetRefs: targetRefs('Gateway', 'edge'), mode, accessLog });

export const ofListener = (accessLog: object) =>
  ownObject('ListenerPolicy', 'edge', {
    targetRefs: targetRefs('Gateway', 'edge'),
    accessLog: { enabled: true, fields: ['authority', 'path', 'response_code'], ...accessLog },
  });

export interface Line {
  readonly authority: string;
  readonly path: string;
  readonly response_code: number;
  readonly 'gatewright.tags'?: Readonly<Record<string, string>>;
}

/** `listener`: of its access log. */
export async function startLogged(t: ExecutionContext, listener: object) {
  t.timeout(300_000);
  const web = await startBackend(t);
  const world = await startWorld(
    t,
    gateway('edge', [{ name: 'http', port: 80, protocol: 'HTTP' }]),
    ofListener(listener),
    ...backend('web', web.port),
    route('plain', 'plain.test'),
    route('exact', 'exact.test'),
    route('wide', '*.wide.test'),
  );
  const port = await world.envoy.port('http/80');
  // On one connection, so that one thread of Envoy has all requests, and logs them in their order.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());
  const get = async (host: string, path: string) => {
    const sent = request({ host: '127.0.0.1', port, agent, path, headers: { host } }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
  };
  const lines = (): readonly Line[] =>
    world.envoy
      .log()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line));
  /** What is logged of requests to both hosts, before the line of a last request that is always logged. */
  const loggedOf = async (mark: string) => {
    for (const host of hosts) for (const path of ['', '/moved']) await get(host, `${path}/${mark}`);
    await get('plain.test', `/last/${mark}`);
    const all = await until('the last line', () => {
      const found = lines();
      return found.some(({ path }) => path === `/last/${mark}`) && found;
    });
    return all.filter(({ path, authority }) => path.endsWith(`/${mark}`) && authority !== 'plain.test');
  };
  return { ...world, loggedOf };
}

export const paths = (lines: readonly Line[]) => lines.map(({ authority, path }) => `${authority}${path}`);
