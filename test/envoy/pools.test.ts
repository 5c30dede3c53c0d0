import type { ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { sendGrpc, startGrpcEchoServer } from '../../scripts/example/grpc-echo.ts';
import { type Pick, type PickRequest, startPicker } from '../../scripts/example/picker-server.ts';
import { freePort } from '../../scripts/free-port.ts';
import { testCertificates } from '../support/certificates.ts';
import { endings } from '../support/endings.ts';
import type { HttpRequest } from '../support/http.ts';
import {
  type Answering,
  echo,
  type PoolWorld,
  pickerObjects,
  podObject,
  poolCondition,
  poolObject,
  poolRef,
  startPoolWorld,
} from '../support/pool-world.ts';
import { every, thorough } from '../support/repetitions.ts';
import { routeObject } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** InferencePools with a picker of our own, through the running program and a real Envoy. */

const prompt: Partial<HttpRequest> & { readonly body: string } = {
  method: 'POST',
  path: '/v1/completions',
  body: '{"prompt":"hello"}',
};
const withoutBody: Partial<HttpRequest> = {};

/** Picks what the header `x-want` says. */
const wanted = ({ headers }: PickRequest): Pick => ({ endpoint: headers['x-want'] ?? '' });

/** What the picker and the model servers do, for each test to say. */
interface Behaviour {
  pick: (request: PickRequest) => Pick;
  early: { readonly when: 'request' | 'answer'; readonly how: 'end' | 'death' } | undefined;
  style: 'fullDuplex' | 'message';
  answer: Answering;
}

const usual: Behaviour = { pick: wanted, early: undefined, style: 'fullDuplex', answer: echo };
const behaviour: Behaviour = { ...usual };
const ends = endings(test);
let world: PoolWorld;

test.before(async () => {
  world = await startPoolWorld(ends, {
    picker: {
      pick: (request) => behaviour.pick(request),
      early: (when) => (behaviour.early?.when === when ? behaviour.early.how : undefined),
      style: () => behaviour.style,
    },
    answer: (request, response, body) => behaviour.answer(request, response, body),
  });
});

test.beforeEach(() => void Object.assign(behaviour, usual));

for (const [mode, style] of every(2, [
  ['FullDuplex', 'fullDuplex'],
  ['FullDuplexRequest', 'fullDuplex'],
  ['Buffered', 'message'],
  ['Auto', 'fullDuplex'],
  ['Auto', 'message'],
] as const)) {
  test.serial(`a picker of style ${style} picks in mode ${mode}, and hears who served`, async (t) => {
    behaviour.style = style;
    await world.pool({ mode });
    for (const { endpoint } of world.servers) {
      const headers = { 'x-want': endpoint };
      for (const request of [withoutBody, prompt]) {
        const answer = await world.ask({ ...request, headers });
        t.is(answer.status, 200, answer.body);
        t.is(answer.headers['x-server'], endpoint.split(':')[0]);
        t.is(answer.headers['x-served'], endpoint);
        t.is(answer.body, request.body ?? '');
      }
    }
    t.is(poolCondition(world, 'Accepted')?.status, 'True');
    t.is(poolCondition(world, 'ResolvedRefs')?.status, 'True');
  });
}

thorough(test.serial)('without its picker a pool fails open or closed, as it says', async (t) => {
  const before = world.heard();
  const failures = async (expected: number) => {
    for (const how of ['end', 'death', 'garbage'] as const) {
      behaviour.pick = () => how;
      for (const request of [withoutBody, prompt]) t.is((await world.ask(request)).status, expected, how);
    }
    for (const how of ['end', 'death'] as const) {
      behaviour.early = { when: 'request', how };
      for (const request of [withoutBody, prompt]) t.is((await world.ask(request)).status, expected, `early ${how}`);
    }
    behaviour.early = undefined;
  };
  await world.pool({ failureMode: 'FailOpen' });
  await failures(200);
  t.is(world.heard(), before + 10, 'each request is served once');
  await world.pool({ failureMode: 'FailClose' });
  await failures(503);
  t.is(world.heard(), before + 10);
  t.deepEqual(world.servers.flatMap(({ headers }) => headers.map((each) => each['x-gw-pick'])).filter(Boolean), []);
});

thorough(test.serial)('a picker that refuses connections is as one that fails', async (t) => {
  const away = await freePort();
  world.write('away.yaml', ...pickerObjects('away', away));
  await world.pool({ picker: 'away', failureMode: 'FailClose' });
  t.is((await world.ask(prompt)).status, 503);
  await world.pool({ picker: 'away', failureMode: 'FailOpen' });
  const answer = await world.ask(prompt);
  t.is(`${answer.status} ${answer.body}`, `200 ${prompt.body}`);
  t.is(answer.headers['x-gw-pick'], undefined);
});

thorough(test.serial)('what a picker or a model server answers is passed on and not tried again', async (t) => {
  await world.pool({ failureMode: 'FailOpen' });
  const before = world.heard();
  behaviour.pick = () => ({ status: 429, body: 'shed' });
  behaviour.answer = (_, response) => response.writeHead(503, { 'x-gw-pick': 'failed' }).end('busy');
  const shed = await world.ask(prompt);
  t.is(`${shed.status} ${shed.body}`, '429 shed');
  behaviour.pick = wanted;
  const busy = await world.ask(prompt);
  t.is(`${busy.status} ${busy.body}`, '503 busy');
  t.is(world.heard(), before + 1);
});

thorough(test.serial)('a picker that ends when a model server has answered costs that answer alone', async (t) => {
  await world.pool({ failureMode: 'FailOpen' });
  const before = world.heard();
  behaviour.early = { when: 'answer', how: 'death' };
  t.is((await world.ask(prompt)).status, 503);
  t.is(world.heard(), before + 1, 'the prompt does not run again');
});

test.serial('a pool without its picker’s Service is answered 503, and served when that comes', async (t) => {
  await world.pool({ picker: 'none', failureMode: 'FailOpen' });
  t.is((await world.ask(prompt)).status, 503);
  const condition = poolCondition(world, 'ResolvedRefs');
  t.is(`${condition?.status} ${condition?.reason}`, 'False InvalidExtensionRef');
  t.regex(condition?.message ?? '', /Service default\/none, which does not exist/);
  world.write('none.yaml', ...pickerObjects('none', world.picker.port));
  await untilFits(
    'the picker to be asked',
    () => world.ask(prompt),
    ({ status }) => status === 200,
  );
  t.is(poolCondition(world, 'ResolvedRefs')?.status, 'True');
});

test.serial('a pool that names no picker is served by any of its model servers', async (t) => {
  await world.pool({ picker: null });
  const before = world.picker.asked.length;
  const headers = { 'x-gateway-destination-endpoint': world.servers[0]?.endpoint ?? '' };
  const served = new Set<string>();
  await untilFits(
    'each of them to be asked',
    async () => served.add(String((await world.ask({ ...prompt, headers })).headers['x-server'])).size,
    (size) => size === 3,
  );
  t.is(world.picker.asked.length, before);
});

thorough(test.serial)(
  'weights draw the pool before its picker is asked, and a pool whose picker is away costs its share alone',
  async (t) => {
    await world.pool();
    behaviour.pick = () => ({ endpoint: world.servers[0]?.endpoint ?? '' });
    const other = await startPicker({ pick: () => ({ endpoint: world.servers[1]?.endpoint ?? '' }) });
    t.teardown(other.die);
    world.write('other-picker.yaml', ...pickerObjects('other-picker', other.port));
    world.write('other.yaml', poolObject('other', world.modelPort, { picker: 'other-picker', app: 'llama' }));
    const both = [poolRef('llama', 1), poolRef('other', 1)];
    world.write('both.yaml', routeObject('both', 'both.test', [{ backendRefs: both }]));
    const share = async (count: number) => {
      const ask = () => world.ask({ ...prompt, host: 'both.test' });
      const answers = await Promise.all(Array.from({ length: count }, ask));
      return Map.groupBy(answers, ({ status, headers }) => `${status} ${headers['x-server'] ?? ''}`);
    };
    await untilFits(
      'both to be asked',
      async () => [...(await share(20)).keys()].sort(),
      (seen) => isDeepStrictEqual(seen, ['200 127.0.0.11', '200 127.0.0.12']),
    );
    await other.die();
    const before = world.picker.asked.length;
    const seen = await share(40);
    t.deepEqual([...seen.keys()].sort(), ['200 127.0.0.11', '503 ']);
    t.is(seen.get('200 127.0.0.11')?.length, world.picker.asked.length - before);
  },
);

thorough(test.serial)(
  'a picker that ends while answers stream cuts none that it hears only the headers of',
  async (t) => {
    const held: ServerResponse[] = [];
    const mortal = await startPicker({ pick: wanted });
    t.teardown(mortal.die);
    world.write('mortal.yaml', ...pickerObjects('mortal', mortal.port));
    await world.pool({ picker: 'mortal', mode: 'FullDuplexRequest' });
    behaviour.answer = (_, response) => {
      response.write('data: one\n\n');
      held.push(response);
    };
    const answers = Array.from({ length: 20 }, () => world.ask(prompt));
    await untilFits(
      'all to be under way',
      () => held.length,
      (count) => count === 20,
    );
    await untilFits(
      'the picker to have heard of all',
      () => mortal.served.length,
      (count) => count === 20,
    );
    await mortal.die();
    for (const response of held) response.end('data: two\n\n');
    for (const answer of await Promise.all(answers)) t.is(answer.body, 'data: one\n\ndata: two\n\n');
  },
);

thorough(test.serial)('a long body goes another way too while its picker is away', async (t) => {
  await world.pool({ failureMode: 'FailOpen' });
  const before = world.heard();
  behaviour.pick = () => 'death';
  behaviour.answer = (_, response, body) => response.end(String(body.length));
  t.is((await world.ask({ ...prompt, body: 'x'.repeat(3_000_000) })).body, '3000000');
  t.is(world.heard(), before + 1);
});

thorough(test.serial)('a gRPC call goes to the model server that is picked, with its trailers', async (t) => {
  const port = await freePort();
  const server = await startGrpcEchoServer('model', '127.0.0.21', port);
  t.teardown(() => server.close());
  const endpoint = `127.0.0.21:${port}`;
  behaviour.pick = () => ({ endpoint });
  const more = { appProtocol: 'kubernetes.io/h2c' };
  world.write('grpc.yaml', poolObject('grpc', port, { more }), podObject('grpc', 'grpc', '127.0.0.21'), {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GRPCRoute',
    metadata: { name: 'grpc' },
    spec: { parentRefs: [{ name: 'edge' }], hostnames: ['g.test'], rules: [{ backendRefs: [poolRef('grpc')] }] },
  });
  const answer = await untilFits(
    'the route to be served',
    () => sendGrpc({ host: 'g.test', path: '/vllm.Inference/Generate' }, world.port),
    ({ grpcStatus }) => grpcStatus === 0,
  );
  t.is(answer.echo?.backend, 'model');
  t.is(answer.headers['x-served'], endpoint);
});

test.serial('a Pod that is no longer ready is not picked, and others are', async (t) => {
  await world.pool();
  world.write(
    'pods.yaml',
    podObject('llama-0', 'llama', '127.0.0.11'),
    podObject('llama-1', 'llama', '127.0.0.12', 'False'),
    podObject('llama-2', 'llama', '127.0.0.13'),
  );
  const ask = (address: string) => world.ask({ ...prompt, headers: { 'x-want': `${address}:${world.modelPort}` } });
  await untilFits(
    'the other to be left alone',
    async () => (await ask('127.0.0.12')).headers['x-server'],
    (server) => server !== '127.0.0.12',
  );
  t.is((await ask('127.0.0.13')).headers['x-server'], '127.0.0.13');
});

thorough(test)('a picker is asked within TLS, whatever certificate it shows', async (t) => {
  const secure = await startPoolWorld(t, { picker: { pick: wanted }, tls: true });
  const endpoint = secure.servers[1]?.endpoint ?? '';
  const answer = await secure.ask({ ...prompt, headers: { 'x-want': endpoint } });
  t.is(answer.headers['x-served'], endpoint);
  t.regex(poolCondition(secure, 'Accepted')?.message ?? '', /without one any is accepted/);
});

thorough(test)(
  'a picker that a BackendTLSPolicy is for is asked only if its certificate has the name and the authority',
  async (t) => {
    const secure = await startPoolWorld(t, { picker: { pick: wanted }, tls: true });
    const endpoint = secure.servers[1]?.endpoint ?? '';
    const [own, other] = testCertificates;
    const verified = (hostname: string, { certificate }: typeof own) =>
      secure.write(
        'policy.yaml',
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'authority' }, data: { 'ca.crt': certificate } },
        {
          apiVersion: 'gateway.networking.k8s.io/v1',
          kind: 'BackendTLSPolicy',
          metadata: { name: 'picker' },
          spec: {
            targetRefs: [{ group: '', kind: 'Service', name: 'picker' }],
            validation: { hostname, caCertificateRefs: [{ group: '', kind: 'ConfigMap', name: 'authority' }] },
          },
        },
      );
    const askedWith = async (hostname: string, authority: typeof own) => {
      verified(hostname, authority);
      await secure.settled();
      const { status, headers } = await secure.ask({ ...prompt, headers: { 'x-want': endpoint } });
      return [status, headers['x-served']];
    };
    t.deepEqual(await askedWith('b.example.com', own), [503, undefined]);
    t.deepEqual(await askedWith('a.example.com', other), [503, undefined]);
    // Connections end with nothing but themselves, so what is verified comes last.
    t.deepEqual(await askedWith('a.example.com', own), [200, endpoint]);
  },
);
