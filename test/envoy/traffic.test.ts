import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { runTool } from '../../src/addons/chatbot/index.ts';
import type * as schemas from '../support/layout1-schemas.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { thorough } from '../support/repetitions.ts';
import { request as requestOnce } from '../support/request.ts';
import { isCurrent, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

type Traffic = ReturnType<typeof schemas.traffic.parse>;
type Failures = ReturnType<typeof schemas.failures.parse>;

/** Answers 200, or what the path says; counts requests by host, as the ledger that figures are held against. */
async function startStub(
  t: ExecutionContext,
): Promise<{ readonly port: number; readonly seen: Map<string, number>; stop(): void }> {
  const seen = new Map<string, number>();
  const server: Server = createServer((incoming, response) => {
    const host = (incoming.headers.host ?? '').replace(/:\d+$/, '');
    seen.set(host, (seen.get(host) ?? 0) + 1);
    response.statusCode = Number(/^\/status\/(\d+)/.exec(incoming.url ?? '')?.[1] ?? 200);
    response.end();
  });
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  t.teardown(stop);
  return { port: (server.address() as AddressInfo).port, seen, stop };
}

const service = (name: string, port: number, addresses: readonly string[] = ['127.0.0.1']): object[] => [
  { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }] } },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ port }],
    endpoints: addresses.map((address) => ({ addresses: [address] })),
  },
];

async function start(t: ExecutionContext, files: Readonly<Record<string, readonly object[]>>): Promise<Standalone> {
  t.timeout(600_000);
  const gateway = await startStandalone(files);
  t.teardown(() => gateway.stop());
  await until('the proxy to be current', () => isCurrent(gateway));
  return gateway;
}

const layout1 = async <T>(gateway: Standalone, path: string): Promise<T> =>
  (await gateway.json(gateway.control.ports.layout1, path)).body as T;

/** Sends all of them, some at a time, and gives the statuses. */
async function sendAll(
  port: number,
  requests: readonly { readonly host: string; readonly path?: string }[],
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const send = ({ host, path = '/' }: { readonly host: string; readonly path?: string }): Promise<number> =>
    new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, headers: { host: `${host}:${port}` }, agent }, (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
      })
        .once('error', reject)
        .end();
    });
  try {
    return await Promise.all(requests.map(send));
  } finally {
    agent.destroy();
  }
}

const counts = ({ items }: Traffic): Record<string, number> =>
  Object.fromEntries(items.map(({ name, reason, requests }) => [name ?? reason ?? '', requests]));

thorough(test)(
  'requests of several routes add up to what the backend saw, also through restarts of Envoy',
  async (t) => {
    const stub = await startStub(t);
    const names = Array.from({ length: 20 }, (_, at) => `r${at}.code.200`);
    const backendRefs = [{ name: 'stub', port: 80 }];
    const gateway = await start(t, {
      'stub.yaml': service('stub', stub.port),
      // Names that look like parts of the names of Envoy's counters.
      'routes.yaml': names.map((name) => routeObject(name, `${name}.test`, [{ backendRefs }])),
    });
    const expected = new Map<string, number>();
    const some = (round: number) =>
      names.flatMap((name, at) => {
        const number = 1 + ((at * 7 + round * 11) % 23);
        expected.set(name, (expected.get(name) ?? 0) + number);
        return Array.from({ length: number }, () => ({ host: `${name}.test` }));
      });
    const read = () => layout1<Traffic>(gateway, '/v1/traffic?window=15m&limit=500');
    let sent = 0;
    for (const round of [0, 1, 2]) {
      const requests = [...some(round), { host: 'nowhere.test' }];
      sent += requests.length;
      await sendAll(gateway.port, requests);
      const traffic = await untilFits('all to be counted', read, ({ totals }) => totals.requests >= sent);
      t.is(traffic.totals.requests, sent);
      t.deepEqual(counts(traffic), { ...Object.fromEntries(expected), no_route: round + 1 });
      for (const [name, number] of expected) t.is(stub.seen.get(`${name}.test`), number, name);
      t.is(traffic.totals.byClass['2xx'], sent - round - 1);
      t.is(traffic.totals.byClass['4xx'], round + 1);
      t.is(traffic.totals.errors, 0);
      if (round === 2) break;
      const { envoy } = (await gateway.json(gateway.agentPort, '/api/v1/status')).body as { envoy: { pid: number } };
      process.kill(envoy.pid, 'SIGKILL');
      await until('another Envoy to serve', async () => {
        const { body } = await gateway.json(gateway.agentPort, '/api/v1/status');
        const now = body as { ready: boolean; envoy: { pid: number | null } };
        return now.ready && now.envoy.pid !== null && now.envoy.pid !== envoy.pid;
      });
    }
    for (const by of ['backend', 'listener', 'gateway', 'node']) {
      const { totals, items } = await layout1<Traffic>(gateway, `/v1/traffic?by=${by}`);
      t.is(totals.requests, sent, by);
      t.is(
        items.reduce((sum, { requests }) => sum + requests, 0),
        sent,
        by,
      );
    }
    const series = await layout1<Traffic>(gateway, '/v1/traffic?series=true&limit=500&rule=true');
    const points = series.items.flatMap((item) => item.series ?? []);
    t.is(
      points.reduce((sum, [, requests]) => sum + requests, 0),
      sent,
    );
  },
);

const failing = ({
  items,
}: {
  readonly items: readonly {
    readonly code: string;
    readonly message: string;
    readonly since: string | null;
    readonly object: { readonly name: string };
  }[];
}) => items.find(({ code }) => code === 'traffic_failing');

thorough(test)(
  'a backend that stops is a problem within seconds with UF, one without endpoints with UH, and both end',
  async (t) => {
    const stub = await startStub(t);
    const gateway = await start(t, {
      'stub.yaml': service('stub', stub.port),
      'routes.yaml': [routeObject('shop', 'shop.test', [{ backendRefs: [{ name: 'stub', port: 80 }] }])],
    });
    const problems = () => layout1<Parameters<typeof failing>[0]>(gateway, '/v1/problems');
    t.deepEqual(await sendAll(gateway.port, [{ host: 'shop.test' }]), [200]);
    t.is(failing(await problems()), undefined);
    stub.stop();
    t.deepEqual(await sendAll(gateway.port, [{ host: 'shop.test' }]), [503]);
    const stopped = await untilFits('the problem', problems, (answer) => failing(answer) !== undefined);
    const problem = failing(stopped);
    t.is(problem?.object.name, 'shop');
    t.regex(
      problem?.message ?? '',
      /requests failed: backend default\/stub:80: the endpoint 127\.0\.0\.1:\d+ refuses connections \(UF\)/,
    );
    t.true(Date.parse(problem?.since ?? '') <= Date.now());

    const [backend] = await layout1<
      { endpoints: { verdicts: { verdict: string; source: string; since: string }[] }[] }[]
    >(gateway, '/v1/backends');
    t.like(backend?.endpoints[0]?.verdicts[0], { verdict: 'refuses_connections', source: 'requests' });
    const body = JSON.stringify({ host: `shop.test:${gateway.port}`, path: '/', port: gateway.port });
    const asked = await requestOnce(`http://127.0.0.1:${gateway.control.ports.layout1}/v1/route-test`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const tested = (await asked.json()) as {
      backends: { failing: { flag: string; message: string; since: string } | null }[];
      hints: string[];
    };
    t.is(tested.backends[0]?.failing?.flag, 'UF');
    t.regex(tested.hints[0] ?? '', /^since .*refuses connections \(UF\)/);
    const tool = await runTool(
      'list_problems',
      {},
      async ({ method, path }: { method: string; path: string }) => {
        const answer = await requestOnce(`http://127.0.0.1:${gateway.control.ports.layout1}${path}`, { method });
        return { status: answer.status, body: await answer.json() };
      },
      AbortSignal.timeout(240_000),
    );
    t.regex(tool.text, /traffic_failing.*refuses connections \(UF\)/);

    gateway.write('stub.yaml', ...service('stub', stub.port, []));
    await untilFits(
      'UH',
      async () => {
        await sendAll(gateway.port, [{ host: 'shop.test' }]);
        return layout1<Failures>(gateway, '/v1/failures?flag=UH');
      },
      // A request in between may have met the endpoint at its first try.
      ({ items }) => items[0]?.endpoint === null,
    );
    const { items } = await layout1<Failures>(gateway, '/v1/failures?route=HTTPRoute/default/shop&flag=UH');
    t.like(items[0], { status: 503, backend: 'default/stub:80', endpoint: null, host: `shop.test:${gateway.port}` });
    t.is(items[0]?.explanation?.code, 'UH');

    const again = await startStub(t);
    gateway.write('stub.yaml', ...service('stub', again.port));
    await untilFits(
      'it to be over',
      async () => {
        await sendAll(
          gateway.port,
          Array.from({ length: 5 }, () => ({ host: 'shop.test' })),
        );
        return problems();
      },
      (answer) => failing(answer) === undefined,
    );
  },
);

thorough(test)(
  'of a burst of failures a bounded number is kept, and how many there were is known exactly',
  async (t) => {
    const stub = await startStub(t);
    const gateway = await start(t, {
      'stub.yaml': service('stub', stub.port),
      'routes.yaml': ['loud', 'rare'].map((name) =>
        routeObject(name, `${name}.test`, [{ backendRefs: [{ name: 'stub', port: 80 }] }]),
      ),
    });
    const burst = 2000;
    await sendAll(gateway.port, [{ host: 'rare.test', path: '/status/500' }]);
    const statuses = await sendAll(
      gateway.port,
      Array.from({ length: burst }, () => ({ host: 'loud.test', path: '/status/502' })),
    );
    t.true(statuses.every((status) => status === 502));
    const read = () => layout1<Failures>(gateway, '/v1/failures?route=HTTPRoute/default/loud&limit=500');
    const { sampled, items } = await untilFits(
      'all to be counted',
      read,
      (answer) => (answer.sampled.seen ?? 0) >= burst,
    );
    t.is(sampled.seen, burst);
    t.true(sampled.kept > 0 && sampled.kept <= 50, `${sampled.kept} kept`);
    t.is(items.length, sampled.kept);
    t.is((await layout1<Failures>(gateway, '/v1/failures?route=HTTPRoute/default/rare')).items.length, 1);
    const { items: routes } = await layout1<Traffic>(gateway, '/v1/traffic?name=loud');
    t.like(routes[0], { requests: burst, errors: burst, errorRatio: 1 });
    const firstPage = await layout1<Failures>(gateway, '/v1/failures?limit=7');
    const second = await layout1<Failures>(gateway, `/v1/failures?limit=500&cursor=${firstPage.next}`);
    t.is(firstPage.items.length + second.items.length, sampled.kept + 1);
    t.is(second.next, null);
  },
);

test('what a client writes stays bounded text, and its query, headers and address are nowhere', async (t) => {
  const stub = await startStub(t);
  stub.stop();
  const gateway = await start(t, {
    'stub.yaml': service('stub', stub.port),
    'routes.yaml': [routeObject('any', '*.test', [{ backendRefs: [{ name: 'stub', port: 80 }] }])],
  });
  const paths = [
    `/${'long/'.repeat(400)}?token=SECRET`,
    '/%1b[31m%e2%80%ae<img%20src=x%20onerror=alert(1)>?token=SECRET',
    '/__proto__?SECRET',
    '/ok#SECRET',
  ];
  for (const path of paths) {
    const sent = rawRequest(path, ['Host: a.test', 'X-Key: SECRET', 'User-Agent: SECRET', 'Cookie: SECRET']);
    await exchange(gateway.port, sent);
  }
  const text = await untilFits(
    'the failures',
    async () => JSON.stringify(await layout1<Failures>(gateway, '/v1/failures')),
    (answer) => answer.includes('__proto__'),
  );
  t.false(text.includes('SECRET'));
  const { items } = JSON.parse(text) as Failures;
  for (const { path, host, details } of items) {
    t.true(path.length <= 512 && host.length <= 255 && details.length <= 256);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
    t.notRegex(path + host, /[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
  }
  t.true(items.every(({ clientAddress }) => clientAddress === null));
  t.false(Object.keys(items[0] ?? {}).some((name) => /header|body|query/i.test(name)));
});
