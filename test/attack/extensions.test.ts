import { createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { createProcessor, sendReply } from '../../scripts/example/processor-server.ts';
import type { ProcessingRequest } from '../../src/envoy/index.ts';
import { conditionOf, processedBy, startExtensionWorld } from '../support/extension-world.ts';
import { serviceObjects } from '../support/http.ts';
import { pause } from '../support/pace.ts';
import { headersOf, passing, type Reply, setting } from '../support/processor.ts';
import { thorough } from '../support/repetitions.ts';
import { neighbours, spellings, trafficPolicy } from '../support/traffic-world.ts';
import { untilFits } from '../support/until.ts';

/* A tenant whose ExtensionPolicies name what is not his, and processors that lie, hang and die. */

const gateway = { kind: 'Gateway', name: 'edge' };
const web = { name: 'web' };
const blocks = (message: ProcessingRequest): Reply =>
  message.request.case === 'requestHeaders'
    ? { response: { case: 'immediateResponse', value: { status: { code: 403 } } } }
    : passing(message);
const inTenant = <O extends { readonly metadata: object }>(object: O): O => ({
  ...object,
  metadata: { ...object.metadata, namespace: 'tenant' },
});

test('a tenant’s extension for another namespace’s route, Gateway or listener does nothing, and his own processor sees none of their requests', async (t) => {
  const world = await startExtensionWorld(t, { his: blocks });
  const services = serviceObjects('his', [world.processors.his.port]).map((object) => inTenant(object as never));
  world.write('tenant.yaml', ...services);
  const targets = [web, { ...web, sectionName: 'special' }, gateway, { ...gateway, sectionName: 'http' }];
  await world.rule(
    ...targets.map((target, index) => inTenant(processedBy('his', target, {}, { name: `foreign-${index}` }))),
  );
  for (const host of [...spellings, ...neighbours])
    for (const path of ['/', '/special']) t.is((await world.ask(host, { path })).status, 200, host + path);
  t.is(world.processors.his.asked.length, 0);
});

thorough(test)(
  'a policy that names a processor of another namespace without a grant closes its own targets, and the processor is asked nothing',
  async (t) => {
    const world = await startExtensionWorld(t, { theirs: passing });
    const services = serviceObjects('theirs', [world.processors.theirs.port]).map((object) =>
      inTenant(object as never),
    );
    world.write('tenant.yaml', ...services);
    const backendRef = { name: 'theirs', namespace: 'tenant', port: 80 };
    await world.rule(processedBy('theirs', web, { backendRef }));
    for (const host of spellings) t.is((await world.ask(host)).status, 503, host);
    for (const host of neighbours) t.is((await world.ask(host)).status, 200, host);
    t.is(world.processors.theirs.asked.length, 0);
    world.write('grant.yaml', {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'ReferenceGrant',
      metadata: { name: 'extensions', namespace: 'tenant' },
      spec: {
        from: [{ group: 'gatewright.dev', kind: 'ExtensionPolicy', namespace: 'default' }],
        to: [{ group: '', kind: 'Service' }],
      },
    });
    await untilFits(
      'the grant to count',
      async () => (await world.ask('a.test')).status,
      (status) => status === 200,
    );
  },
);

const steering = {
  ':authority': 'n.test',
  ':path': '/elsewhere',
  ':method': 'DELETE',
  ':scheme': 'https',
  host: 'n.test',
  'x-gw-scope': 'n.test',
  'x-gw-any': 'forged',
  'content-length': '0',
  'transfer-encoding': 'chunked',
  connection: 'close, x-user',
  upgrade: 'websocket',
  'x-envoy-retry-on': '5xx',
  'x-envoy-upstream-rq-timeout-ms': '1',
  'x-user': 'from the processor',
};

/** What else an answer may say. */
const misleading = {
  modeOverride: { requestBodyMode: 2, responseBodyMode: 2 },
  dynamicMetadata: { 'gatewright.session': { key: 'forged' }, 'envoy.lb': { host: '127.0.0.1:1' } },
} as const;

thorough(test)(
  'an extension for which upper levels leave no place closes its own requests and no others, until it has one',
  async (t) => {
    const world = await startExtensionWorld(t, { one: passing, two: passing, guard: blocks });
    const special = { ...web, sectionName: 'special' };
    const statuses = (host: string) =>
      Promise.all(['/special', '/'].map(async (path) => (await world.ask(host, { path })).status));
    await world.rule(processedBy('guard', special));
    for (const host of spellings) t.deepEqual(await statuses(host), [403, 200], host);
    await world.rule(processedBy('guard', special), processedBy('one', gateway), processedBy('two', gateway));
    for (const host of spellings) t.deepEqual(await statuses(host), [503, 200], host);
    for (const host of neighbours) t.deepEqual(await statuses(host), [200, 200], host);
    const { json } = world;
    const { body } = await json(world.control.ports.layout1, '/v1/traffic-policies?target=HTTPRoute/default/web');
    const entries = body as readonly { policy: { name: string }; rule: number; state: string }[];
    t.deepEqual(
      entries.filter(({ policy }) => policy.name === 'guard').map(({ state }) => state),
      ['closed'],
    );
    t.regex(conditionOf(world, 'guard', 'Accepted')?.message ?? '', /requests are answered 503/);
    // Of three of one target the last has no place.
    await world.rule(
      ...(['one', 'two'] as const).map((name) => processedBy(name, web)),
      processedBy('guard', web, {}, { name: 'zone' }),
    );
    for (const host of spellings) t.deepEqual(await statuses(host), [503, 503], host);
    for (const host of neighbours) t.deepEqual(await statuses(host), [200, 200], host);
    await world.rule(processedBy('guard', special), processedBy('one', gateway));
    for (const host of spellings) t.deepEqual(await statuses(host), [403, 200], host);
    for (const host of neighbours) t.deepEqual(await statuses(host), [200, 200], host);
  },
);

thorough(test)(
  'a processor that lies about host, path, length or our own headers has no effect but by what it may change',
  async (t) => {
    const world = await startExtensionWorld(
      t,
      {
        liar: (message) => {
          const { case: kind } = message.request;
          if (kind !== 'requestHeaders' && kind !== 'responseHeaders') return passing(message);
          const lie = setting(message, steering, ['host', ':path', 'content-length']);
          return typeof lie === 'string' ? lie : ({ ...lie, ...misleading } as Reply);
        },
      },
      (request, response) => {
        let body = '';
        request.on('data', (chunk: Buffer) => {
          body += chunk;
        });
        request.once('end', () => response.end(`${request.method} ${request.url} ${request.headers.host} ${body}`));
      },
    );
    await world.rule(processedBy('liar', web));
    const answer = await world.ask('a.test', { method: 'POST', path: '/special', body: 'ten bytes.' });
    t.deepEqual([answer.status, answer.body], [200, 'POST /special a.test ten bytes.']);
    const [seen] = world.web.seen.slice(-1);
    t.is(seen?.['x-user'], 'from the processor');
    for (const name of ['x-gw-scope', 'x-gw-any', 'x-envoy-retry-on', 'upgrade']) t.is(seen?.[name], undefined, name);
    for (const name of ['x-gw-scope', 'x-gw-any', 'upgrade']) t.is(answer.headers[name], undefined, `answer ${name}`);
    t.is((await world.ask('n.test', { path: '/own' })).body, 'GET /own n.test ');
  },
);

test('a processor sees none of what the proxy keeps for itself', async (t) => {
  const world = await startExtensionWorld(t, { one: passing });
  await world.rule(processedBy('one', gateway, { request: { attributes: ['request.path'] } }));
  for (const host of [...spellings, ...neighbours])
    await world.ask(host, { headers: { 'x-gw-scope': 'forged', 'x-plain': 'yes' } });
  const seen = world.processors.one.asked.flatMap(({ request }) =>
    request.case === 'requestHeaders' || request.case === 'responseHeaders' ? [headersOf(request.value.headers)] : [],
  );
  t.true(seen.some((headers) => headers['x-plain'] === 'yes'));
  t.deepEqual(
    seen.flatMap((headers) => Object.keys(headers).filter((name) => name.startsWith('x-gw-'))),
    [],
  );
});

thorough(test)(
  'a processor that dies under load, or answers nothing, costs its own routes and no others',
  async (t) => {
    const world = await startExtensionWorld(t, { one: passing, mute: () => 'silence' });
    await world.rule(processedBy('one', web));
    t.is((await world.ask('a.test')).status, 200);
    const statuses: Record<'own' | 'others', number[]> = { own: [], others: [] };
    let isDone = false;
    const load = (['own', 'others'] as const).flatMap((whose) =>
      Array.from({ length: 4 }, async () => {
        while (!isDone) {
          statuses[whose].push((await world.ask(whose === 'own' ? 'a.test' : 'n.test')).status);
          await pause();
        }
      }),
    );
    await untilFits(
      'load',
      () => Math.min(statuses.own.length, statuses.others.length),
      (count) => count > 20,
    );
    world.processors.one.die();
    await untilFits(
      'errors',
      () => statuses.own.filter((status) => status === 503).length,
      (count) => count > 20,
    );
    const before = statuses.others.length;
    await untilFits(
      'others to go on',
      () => statuses.others.length - before,
      (count) => count > 20,
    );
    isDone = true;
    await Promise.all(load);
    t.deepEqual([...new Set(statuses.others)], [200]);
    t.deepEqual([...new Set(statuses.own)].sort(), [200, 503]);
  },
);

thorough(test)('a server that is no processor lets no request pass, and the proxy lives on', async (t) => {
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello'),
  );
  const port = await listening(t, server);
  const huge = 'x'.repeat(1 << 20);
  const world = await startExtensionWorld(t, { huge: (message) => setting(message, { 'x-huge': huge }) }, undefined, {
    'page.yaml': serviceObjects('page', [port]),
  });
  for (const name of ['page', 'huge']) {
    await world.rule(processedBy(name, web));
    t.true((await world.ask('a.test')).status >= 400, name);
    t.is((await world.ask('n.test')).status, 200, name);
  }
});

const deny = new Set([403, 503]);

thorough(test)(
  'no request gets past a processor while extensions of upper levels come and go, and its own moves to another place',
  async (t) => {
    // In a file of its own, which nothing writes meanwhile.
    const own = { 'own.yaml': [processedBy('own', web)] };
    const world = await startExtensionWorld(t, { own: blocks, upper: passing }, undefined, own);
    await world.rule();
    const passed: string[] = [];
    let [asked, isDone] = [0, false];
    const strangers = spellings.flatMap((host) =>
      Array.from({ length: 2 }, async () => {
        while (!isDone) {
          const { status } = await world.ask(host);
          asked++;
          // A call to a processor that goes away ends with 503, and lets no request in.
          if (!deny.has(status)) passed.push(`${host}: ${status}`);
          await pause();
        }
      }),
    );
    for (let round = 0; round < 4; round++) {
      await world.rule(processedBy('upper', gateway));
      await world.rule();
    }
    isDone = true;
    await Promise.all(strangers);
    t.deepEqual([...new Set(passed)], [], `${passed.length} of ${asked}`);
    t.is(world.web.seen.length, 0);
  },
);

thorough(test)(
  'a request that waits for one processor while its filter chain is replaced does not get past the next',
  async (t) => {
    const waiting: (() => void)[] = [];
    let isHeld = false;
    const upper = createProcessor((message, call) => {
      const go = () => sendReply(call, passing(message));
      if (isHeld) waiting.push(go);
      else go();
    });
    const port = await listening(t, upper);
    const world = await startExtensionWorld(t, { own: blocks }, undefined, {
      'upper.yaml': serviceObjects('upper', [port]),
      // Another route keeps the server's cluster.
      'own.yaml': [processedBy('own', web), processedBy('upper', { name: 'neighbour' }, {}, { name: 'other' })],
    });
    const both = [processedBy('upper', gateway)];
    const changes = {
      'the upper extension goes': [],
      'the Gateway has one filter more': [
        ...both,
        trafficPolicy('slow', gateway, { faults: { delay: { duration: '1ms', percent: 100 } } }),
      ],
    };
    for (const [change, policies] of Object.entries(changes)) {
      await world.rule(...both);
      isHeld = true;
      const answers = spellings.map((host) => world.ask(host));
      await untilFits(
        'the requests to wait',
        () => waiting.length,
        (count) => count === answers.length,
      );
      isHeld = false;
      await world.rule(...policies);
      for (const go of waiting.splice(0)) go();
      for (const { status } of await Promise.all(answers)) t.true(deny.has(status), `${change}: ${status}`);
    }
    t.is(world.web.seen.length, 0);
    t.is((await world.ask('a.test')).status, 403);
    t.is((await world.ask('n.test')).status, 200);
  },
);

async function listening(t: ExecutionContext, server: Http2Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}
