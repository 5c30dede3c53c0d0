import { connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { serviceObjects, startBackend } from '../support/http.ts';
import { thorough } from '../support/repetitions.ts';
import { neighbours, spellings, startTrafficWorld, trafficPolicy } from '../support/traffic-world.ts';
import { until } from '../support/until.ts';

const gateway = { kind: 'Gateway', name: 'edge' };

test('a retry is for the routes of its policy, however their hosts are found, and for no neighbour', async (t) => {
  let failures = 0;
  const world = await startTrafficWorld(t, (_, response) => {
    response.statusCode = failures-- > 0 ? 503 : 200;
    response.end();
  });
  const triesOf = async (host: string, path: string) => {
    failures = 2;
    const before = world.web.requests.length;
    const { status } = await world.ask(host, { path });
    return `${status} after ${world.web.requests.length - before}`;
  };
  await world.rule(
    trafficPolicy('retries', { name: 'web' }, { retry: { attempts: 2, codes: [503], backoff: { base: '1ms' } } }),
  );
  for (const host of spellings) t.is(await triesOf(host, '/'), '200 after 3', host);
  for (const host of neighbours) t.is(await triesOf(host, '/'), '503 after 1', host);
  await world.rule(
    trafficPolicy('retries', gateway, {
      retry: { attempts: 2, events: ['GatewayError'], backoff: { base: '1ms', max: '2ms' } },
    }),
    trafficPolicy('none', { name: 'web', sectionName: 'special' }, { retry: { attempts: 0 } }),
  );
  for (const host of [...spellings, ...neighbours]) t.is(await triesOf(host, '/'), '200 after 3', host);
  for (const host of spellings) t.is(await triesOf(host, '/special'), '503 after 1', host);
  await world.rule(
    trafficPolicy('retries', gateway, {
      mode: 'Override',
      retry: { attempts: 1, codes: [503], backoff: { base: '1ms' } },
    }),
    trafficPolicy('none', { name: 'web', sectionName: 'special' }, { retry: { attempts: 0 } }),
  );
  for (const host of spellings) t.is(await triesOf(host, '/special'), '503 after 2', host);
});

/** A gRPC backend that answers UNAVAILABLE so many times, and then well. */
async function startCalls(t: ExecutionContext, unavailable: { left: number; calls: number }): Promise<number> {
  const server = createServer((_, response) => {
    unavailable.calls++;
    const status = unavailable.left-- > 0 ? '14' : '0';
    response.writeHead(200, { 'content-type': 'application/grpc', 'grpc-status': status });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

thorough(test)('calls of a GRPCRoute are tried again by their status', async (t) => {
  const state = { left: 0, calls: 0 };
  const port = await startCalls(t, state);
  const route = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GRPCRoute',
    metadata: { name: 'calls' },
    spec: {
      parentRefs: [{ name: 'edge' }],
      hostnames: ['calls.test', '*.calls.test'],
      rules: [{ backendRefs: [{ name: 'calls', port: 80 }] }],
    },
  };
  const world = await startTrafficWorld(t, undefined, { 'calls.yaml': [...serviceObjects('calls', [port]), route] });
  const call = async (host: string) => {
    Object.assign(state, { left: 1, calls: 0 });
    const session = connect(`http://127.0.0.1:${world.port}`);
    const stream = session.request({
      ':authority': host,
      ':method': 'POST',
      ':path': '/s/m',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const headers = await new Promise<Record<string, unknown>>((resolve, reject) => {
      stream.once('response', resolve).once('error', reject);
    });
    stream.resume().end();
    session.close();
    return `${headers['grpc-status']} after ${state.calls}`;
  };
  t.is(await call('calls.test'), '14 after 1');
  await world.rule(
    trafficPolicy(
      'calls',
      { kind: 'GRPCRoute', name: 'calls' },
      { retry: { events: ['GRPCUnavailable'], backoff: { base: '1ms' } } },
    ),
  );
  for (const host of ['calls.test', 'x.calls.test']) t.is(await call(host), '0 after 2', host);
});

thorough(test)(
  'a stream without a byte ends on routes of the policy alone, and so does one that takes too long',
  async (t) => {
    const held: { readonly host: string | undefined; readonly release: () => void }[] = [];
    const world = await startTrafficWorld(t, ({ url, headers: { host } }, response) => {
      if (url === '/silent') held.push({ host, release: () => response.end() });
      else response.end();
    });
    for (const timeouts of [{ streamIdle: '50ms' }, { request: '50ms' }]) {
      await world.rule(trafficPolicy('times', { name: 'web' }, { timeouts }));
      const other = Promise.all(neighbours.map((host) => world.ask(host, { path: '/silent' })));
      for (const host of spellings) t.is((await world.ask(host, { path: '/silent' })).status, 504, host);
      await until('the others to be at the backend', () =>
        neighbours.every((host) => held.some((each) => each.host === host)),
      );
      for (const { release } of held.splice(0)) release();
      t.deepEqual(
        (await other).map(({ status }) => status),
        [200, 200],
      );
    }
    await world.rule(trafficPolicy('times', gateway, { timeouts: { maxStreamDuration: '50ms' } }));
    for (const host of [...spellings, ...neighbours])
      t.not((await world.ask(host, { path: '/silent' })).status, 200, host);
  },
);

test('routes say what an endpoint is chosen by, at backends that leave it to them', async (t) => {
  const servers = await Promise.all(
    ['one', 'two', 'three'].map((name) => startBackend(t, (_, response) => response.end(name))),
  );
  const route = (name: string, hostnames: readonly string[]) => ({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name },
    spec: { parentRefs: [{ name: 'edge' }], hostnames, rules: [{ backendRefs: [{ name: 'many', port: 80 }] }] },
  });
  const balancing = {
    apiVersion: 'gatewright.dev/v1alpha1',
    kind: 'BackendPolicy',
    metadata: { name: 'many' },
    spec: {
      targetRefs: [{ group: '', kind: 'Service', name: 'many' }],
      loadBalancer: { type: 'ConsistentHash', consistentHash: { type: 'Route' } },
    },
  };
  const world = await startTrafficWorld(t, undefined, {
    'many.yaml': [
      ...serviceObjects(
        'many',
        servers.map(({ port }) => port),
      ),
      balancing,
      route('many', ['m.test', '*.m.test']),
      route('free', ['f.test']),
    ],
  });
  const endpointsOf = async (host: string, requestOf: (index: number) => object) => {
    const answers = Array.from({ length: 24 }, (_, index) => world.ask(host, requestOf(index)));
    return new Set((await Promise.all(answers)).map(({ body }) => body)).size;
  };
  const cases: [object, (index: number) => object][] = [
    [{ type: 'Header', name: 'x-user' }, (index) => ({ headers: { 'x-user': String(index) } })],
    [{ type: 'Cookie', name: 'user' }, (index) => ({ headers: { cookie: `user=${index}` } })],
    [{ type: 'QueryParam', name: 'user' }, (index) => ({ path: `/?user=${index}` })],
    [{ type: 'Path' }, (index) => ({ path: `/${index}` })],
  ];
  for (const [key, requestOf] of cases) {
    await world.rule(trafficPolicy('many', { name: 'many' }, { hash: [key] }));
    for (const host of ['m.test', 'x.m.test']) {
      t.is(await endpointsOf(host, () => requestOf(7)), 1, `${JSON.stringify(key)} ${host}`);
      t.true((await endpointsOf(host, requestOf)) > 1, `${JSON.stringify(key)} ${host}`);
    }
  }
  t.is(await endpointsOf('m.test', (index) => ({ path: `/same?n=${index}` })), 1, 'the query does not count');
  await world.rule(trafficPolicy('many', { name: 'many' }, { hash: [{ type: 'SourceIP' }] }));
  t.is(await endpointsOf('m.test', (index) => ({ path: `/${index}` })), 1);
  t.true((await endpointsOf('f.test', () => ({}))) > 1, 'no policy is for this route');
});
