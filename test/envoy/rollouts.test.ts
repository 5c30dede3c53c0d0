import { setTimeout as delay } from 'node:timers/promises';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { send, serviceObjects } from '../support/http.ts';
import { Pressure, ServerProcess, type ServerProtocol } from '../support/rollout.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

// All endpoints of a Service are replaced again and again, and each exits before proxies know, as pods of an ordinary Deployment do.

const rollouts = 5;
const width = 8;
/** From the exit of an endpoint until the EndpointSlice says so. */
const lagMs = 100;

const appProtocol: Readonly<Record<ServerProtocol, object>> = {
  http1: {},
  h2c: { appProtocol: 'kubernetes.io/h2c' },
  grpc: {},
};

const grpcRoute = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GRPCRoute',
  metadata: { name: 'web' },
  spec: {
    parentRefs: [{ name: 'edge' }],
    hostnames: ['web.test'],
    rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
  },
};

type Ask = (world: Standalone) => () => Promise<string>;

/** Outcomes of all requests during so many rollouts of two endpoints. */
async function rollOut(
  t: ExecutionContext,
  { protocol, ending, ask }: { readonly protocol: ServerProtocol; readonly ending?: 'finish'; readonly ask: Ask },
): Promise<Readonly<Record<string, number>>> {
  let servers = await startTwo(t, protocol, ending);
  const endpoints = (all: readonly ServerProcess[]) =>
    serviceObjects(
      'web',
      all.map(({ port }) => port),
      appProtocol[protocol] as Record<string, unknown>,
    );
  const route =
    protocol === 'grpc' ? grpcRoute : routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]);
  const world = await startStandalone({ 'web.yaml': endpoints(servers), 'route.yaml': [route] });
  t.teardown(world.stop);
  const one = ask(world);
  await untilFits('an answer', one, (outcome) => outcome === '200');
  const pressure = new Pressure(width, one);
  for (let done = 0; done < rollouts; done++) {
    const next = await startTwo(t, protocol, ending);
    world.write('web.yaml', ...endpoints([...servers, ...next]));
    await hasEndpoints(world, 4);
    // Its statistics are those of one thread; the others learn of endpoints a little later.
    await pressure.turns(3);
    for (const server of servers) await server.exit();
    await delay(lagMs);
    world.write('web.yaml', ...endpoints(next));
    await hasEndpoints(world, 2);
    servers = next;
  }
  const outcomes = await pressure.stop();
  t.log(outcomes);
  return outcomes;
}

const startTwo = (t: ExecutionContext, protocol: ServerProtocol, ending?: 'finish') =>
  Promise.all([ServerProcess.start(t, protocol, ending), ServerProcess.start(t, protocol, ending)]);

interface BackendRecord {
  readonly endpoints: readonly object[];
}

/** As Envoy itself has them. */
const hasEndpoints = ({ agentPort, json }: Standalone, count: number) =>
  untilFits(
    `${count} endpoints`,
    async () => (await json(agentPort, '/api/v1/stats/backends')).body as unknown as readonly BackendRecord[],
    (backends) => backends.some(({ endpoints }) => endpoints.length === count),
  );

const get: Ask =
  ({ port }) =>
  async () =>
    String((await send(port, { host: 'web.test' })).status);

test('HTTP/1.1 endpoints that exit at once cost no request of a safe method', async (t) => {
  t.deepEqual(Object.keys(await rollOut(t, { protocol: 'http1', ask: get })), ['200']);
});

test('HTTP/2 endpoints that exit at once cost no request of a safe method', async (t) => {
  t.deepEqual(Object.keys(await rollOut(t, { protocol: 'h2c', ask: get })), ['200']);
});

const post: Ask =
  ({ port }) =>
  async () =>
    String((await send(port, { host: 'web.test', method: 'POST', body: 'order' })).status);

test('endpoints that answer what they have begun cost no request of any method', async (t) => {
  t.deepEqual(Object.keys(await rollOut(t, { protocol: 'h2c', ending: 'finish', ask: post })), ['200']);
});

function call(t: ExecutionContext): Ask {
  return ({ port }) => {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
      'grpc.default_authority': 'web.test',
      'grpc.enable_retries': 0,
    });
    t.teardown(() => client.close());
    const identity = (bytes: Buffer): Buffer => bytes;
    return () =>
      new Promise((resolve) => {
        const done = (error: ServiceError | null) => resolve(error ? `gRPC ${error.code} ${error.details}` : '200');
        client.makeUnaryRequest('/shop.Cart/Add', identity, identity, Buffer.alloc(0), done);
      });
  };
}

test('gRPC endpoints that answer what they have begun cost no call', async (t) => {
  t.deepEqual(Object.keys(await rollOut(t, { protocol: 'grpc', ending: 'finish', ask: call(t) })), ['200']);
});

test('of gRPC endpoints that exit at once only those calls fail that they had begun', async (t) => {
  const outcomes = await rollOut(t, { protocol: 'grpc', ask: call(t) });
  const failed = Object.entries(outcomes).flatMap(([outcome, count]) => (outcome === '200' ? [] : [count]));
  const total = failed.reduce((sum, count) => sum + count, 0);
  t.true(total <= rollouts * 2 * width, `${total} failed; at most ${width} are under way when an endpoint exits`);
});
