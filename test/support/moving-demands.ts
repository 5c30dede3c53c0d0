import { Agent } from 'node:http';
import type { ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type * as ir from '../../src/ir/index.ts';
import { startControlPlane } from './agent-world.ts';
import { startBackend } from './http.ts';
import { httpListener, route, snapshotOf, table, translateAll, virtualHost } from './ir.ts';
import { ask } from './ir-proxy.ts';
import { pause } from './pace.ts';
import { until } from './until.ts';

/** Hosts of which one has a demand that moves. */
export const [moving, staying] = ['a.test', 'c.test'];
const noClient: ir.Access = { clientIPs: { allow: [], deny: [] } };
/** The same part, so that the neighbour's demand is in the same filter. */
const anyClient: ir.Access = { clientIPs: { deny: [] } };

/** Where the demand for the moving host is, with whatever else is demanded. */
export interface State {
  readonly guards?: ir.TableGuards;
  readonly route?: ir.RouteAccess;
}

const of = (level: ir.TableLevel, hostname: string, demanded: ir.Access & Partial<ir.TableAccess>): ir.TableAccess => ({
  level,
  source: `${hostname}/${level}`,
  overridable: [],
  hostnames: [hostname],
  ...demanded,
});
const guardsOf = (...demands: readonly ir.TableAccess[]): ir.TableGuards => ({
  demands: [...demands, of('gateway', staying, anyClient), of('listener', staying, anyClient)],
  hostnames: [moving, staying],
});

export const atGateway: State = { guards: guardsOf(of('gateway', moving, noClient)) };
const atListener: State = { guards: guardsOf(of('listener', moving, noClient)) };
const atRoute: State = { guards: guardsOf(), route: { route: noClient } };
export const atRule: State = { guards: guardsOf(), route: { rule: noClient } };
/** The Gateway’s demand of the same name becomes one that lets all in, while the route takes over what it was. */
export const weaker: State = {
  guards: guardsOf(of('gateway', moving, anyClient)),
  route: { route: noClient },
};
/** The route goes its own way, where the Gateway lets it. */
const overriding: State = {
  guards: guardsOf(of('gateway', moving, { ...noClient, overridable: ['clientIPs'] })),
  route: { route: { authorization: { default: 'Deny', rules: [] } }, overrides: ['clientIPs'] },
};
/** One after the other. */
export const states = [
  atGateway,
  atRoute,
  atListener,
  atRule,
  atGateway,
  weaker,
  atListener,
  overriding,
  atGateway,
  overriding,
];

/** A control plane whose only listener, on a port of its own, begins with the demand at the Gateway. `node`: that the proxy will have. */
export async function startMoving(t: ExecutionContext, node: string) {
  const [web, controlPlane, port] = [await startBackend(t), await startControlPlane(t), await freePort()];
  const key = `http/${port}`;
  let count = 0;
  const publish = ({ guards, route: demanded }: State): string => {
    count += 1;
    const id = `default/r${count}/rule/0/match/0`;
    const filters = demanded ? { access: demanded } : {};
    const hosts = [
      virtualHost(moving, [route(id, '/', { filters })]),
      virtualHost(staying, [route('default/c/rule/0/match/0', '/')]),
    ];
    const tables = [{ ...table(key, { exact: hosts }), ...(guards && { access: guards }) }];
    controlPlane.publish(
      `s${count}`,
      translateAll(snapshotOf({ listeners: [httpListener(key, port)], tables, backends: { web: web.port } })),
    );
    return `s${count}`;
  };
  publish(atGateway);
  const applied = (id: string) =>
    until('the snapshot to be applied', () => controlPlane.server.nodes.find(node)?.lastAckVersion === id);
  return { port, controlPlane, publish, applied };
}

type Moving = Awaited<ReturnType<typeof startMoving>>;

/** Moves the demand as often, from one state to the next. Two of three times the proxy has one before the next comes. */
export async function move({ publish, applied }: Moving, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const id = publish(states[time % states.length] ?? atGateway);
    // Some meet the one before on its way.
    if (time % 3 > 0) await applied(id);
  }
}

/** Moves the demand while no control plane is there. The next one knows nothing of what was before. */
export async function moveWhileAway({ controlPlane, publish, applied }: Moving): Promise<void> {
  // A demand that became weaker in its place looks like one whose keys changed: it counts as there.
  const moved = states.filter((state) => state !== weaker);
  for (let time = 1; time <= 9; time += 1) {
    await controlPlane.stop();
    const id = publish(moved[time % moved.length] ?? atGateway);
    await controlPlane.start();
    await applied(id);
  }
}

/** Connections that go on asking, and show nothing but these headers; what they were answered, by status. */
export function strangers(port: number, host: string, count: number, headers: Record<string, string> = {}) {
  let running = true;
  const seen = new Map<string, number>();
  const each = Array.from({ length: count }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (running) {
      const line = await ask(port, { host: `${host}:${port}`, headers, agent }).then(
        ({ status }) => String(status),
        (error: Error) => error.message,
      );
      seen.set(line, (seen.get(line) ?? 0) + 1);
      await pause();
    }
    agent.destroy();
  });
  return async () => {
    running = false;
    await Promise.all(each);
    return seen;
  };
}
