import test from 'ava';
import { every, thorough } from '../support/repetitions.ts';
import { gatewayObjects } from '../support/standalone.ts';
import { answerGroups, longText as text, trafficGroups } from '../support/traffic-groups.ts';
import {
  neighbours,
  spellings,
  startTrafficWorld,
  type TrafficWorld,
  trafficPolicy,
  waitingObjects,
} from '../support/traffic-world.ts';

/** Groups of TrafficPolicies that are filters, through the running program with a real Envoy. */

const gateway = { kind: 'Gateway', name: 'edge' };
const web = { name: 'web' };
const special = { name: 'web', sectionName: 'special' };

/** Where another route has its requests wait for a server, what a Gateway or a listener has is beside the filter chains. */
const tables: Readonly<Record<string, Readonly<Record<string, readonly object[]>>>> = {
  '': {},
  ', where requests wait': { 'waits.yaml': waitingObjects() },
};

/** What is seen of each group; without policies, what each of them would change. */
async function looks(world: TrafficWorld, host = 'a.test'): Promise<ReadonlyMap<string, string>> {
  const seen = new Map<string, string>();
  for (const { group, look } of trafficGroups) seen.set(group, await look(world, host, '/'));
  return seen;
}

thorough(test)(
  'a group of a route is for its requests, however their hosts are found, and for no neighbour',
  async (t) => {
    t.timeout(600_000);
    const world = await startTrafficWorld(t, answerGroups);
    const plainOf = await looks(world);
    for (const { group, value, other, look, seen } of trafficGroups) {
      const [ofValue, ofOther] = seen;
      const plain = plainOf.get(group) ?? '';
      await world.rule(
        trafficPolicy('web', web, { [group]: value }),
        trafficPolicy('special', special, { [group]: other }),
      );
      for (const host of spellings) {
        t.is(await look(world, host, '/'), ofValue, `${group} ${host}`);
        t.is(await look(world, host, '/special'), ofOther, `${group} ${host}`);
      }
      for (const host of neighbours) t.is(await look(world, host, '/'), plain, `${group} ${host}`);
      await world.rule(trafficPolicy('special', special, { [group]: value }));
      for (const host of spellings) {
        t.is(await look(world, host, '/'), plain, `${group} ${host}`);
        t.is(await look(world, host, '/special'), ofValue, `${group} ${host}`);
      }
    }
    await world.rule();
    t.deepEqual(await looks(world), plainOf);
  },
);

for (const [where, more] of Object.entries(tables))
  thorough(test)(
    `a group of a Gateway is for all requests but those whose route says otherwise, which mode Override takes away${where}`,
    async (t) => {
      t.timeout(600_000);
      const world = await startTrafficWorld(t, answerGroups, more);
      const plainOf = await looks(world);
      for (const { group, value, other, look, seen } of trafficGroups) {
        const [ofValue, ofOther] = seen;
        const plain = plainOf.get(group) ?? '';
        const below = [
          trafficPolicy('web', web, { [group]: other }),
          trafficPolicy('special', special, { disabled: [group] }),
        ];
        await world.rule(trafficPolicy('all', gateway, { [group]: value }), ...below);
        for (const host of spellings) {
          t.is(await look(world, host, '/'), ofOther, `${group} ${host}`);
          t.is(await look(world, host, '/special'), plain, `${group} ${host}`);
        }
        for (const host of neighbours) t.is(await look(world, host, '/'), ofValue, `${group} ${host}`);
        await world.rule(trafficPolicy('all', gateway, { mode: 'Override', [group]: value }), ...below);
        for (const host of [...spellings, ...neighbours])
          t.is(await look(world, host, '/'), ofValue, `${group} ${host}`);
        t.is(await look(world, 'a.test', '/special'), ofValue, group);
      }
      await world.rule();
      t.deepEqual(await looks(world), plainOf);
    },
  );

for (const [where, more] of every(2, Object.entries(tables)))
  test(`a group of one of several listeners is for its hosts alone${where}`, async (t) => {
    t.timeout(600_000);
    const world = await startTrafficWorld(t, answerGroups, more);
    const [gatewayClass, edge] = gatewayObjects(world.port) as [object, { spec: object }];
    const listeners = [
      { name: 'http', port: world.port, protocol: 'HTTP' },
      { name: 'wild', port: world.port, protocol: 'HTTP', hostname: '*.w.test' },
    ];
    world.write('gateway.yaml', gatewayClass, { ...edge, spec: { ...edge.spec, listeners } });
    const plainOf = await looks(world);
    for (const { group, value, look, seen } of every(3, trafficGroups)) {
      const plain = plainOf.get(group) ?? '';
      await world.rule(trafficPolicy('wild', { ...gateway, sectionName: 'wild' }, { [group]: value }));
      for (const host of ['x.w.test', 'X.w.Test', 'y.w.test:80'])
        t.is(await look(world, host, '/'), seen[0], `${group} ${host}`);
      for (const host of ['a.test', 'A.test', ...neighbours])
        t.is(await look(world, host, '/'), plain, `${group} ${host}`);
    }
    await world.rule();
    t.deepEqual(await looks(world, 'x.w.test'), plainOf);
  });

thorough(test)('a total is of all requests of its route together, on whichever host, and of no others', async (t) => {
  t.timeout(600_000);
  const world = await startTrafficWorld(t, answerGroups);
  const kib = 4;
  await world.rule(trafficPolicy('web', web, { bandwidth: { total: { response: `${kib}Ki` } } }));
  const began = performance.now();
  const answers = await Promise.all([...spellings, ...spellings].map((host) => world.ask(host)));
  const seconds = (performance.now() - began) / 1000;
  for (const { status, body } of answers) t.like({ status, body }, { status: 200, body: text });
  // So much may come at once; the rest takes its time, and more of it on a slow machine.
  const most = (seconds + 1) * kib * 1024;
  t.true(answers.length * text.length <= most, `${answers.length * text.length} bytes in ${seconds} s`);
});

thorough(test)(
  'answers stay as they are that are short, of another type, or for clients that want them so',
  async (t) => {
    const world = await startTrafficWorld(t, (request, response) => {
      response.setHeader('content-type', request.url === '/events' ? 'text/event-stream' : 'application/json');
      const texts: Record<string, string> = { '/short': '{}', '/40': JSON.stringify('x'.repeat(38)) };
      response.end(texts[request.url ?? ''] ?? JSON.stringify(text));
    });
    await world.rule(trafficPolicy('all', gateway, { compression: {} }));
    const encodings = ['gzip', 'br', 'zstd', 'identity'];
    const encodingOf = async (accepted: string, path = '/') =>
      (await world.ask('a.test', { path, headers: { 'accept-encoding': accepted } })).headers['content-encoding'] ?? '';
    t.deepEqual(await Promise.all(encodings.map((accepted) => encodingOf(accepted))), ['gzip', 'br', 'zstd', '']);
    t.is(await encodingOf('gzip;q=0.5, br;q=0.9'), 'br', 'what the client likes best');
    t.is(await encodingOf('gzip, br, zstd'), 'zstd', 'else what the policy likes best');
    t.is(await encodingOf('gzip', '/events'), '');
    await world.rule(trafficPolicy('all', gateway, { compression: { minBytes: 40 } }));
    t.is(await encodingOf('gzip', '/40'), 'gzip', 'as long as the policy says');
    await world.rule(trafficPolicy('all', gateway, { compression: { minBytes: 41 } }));
    t.is(await encodingOf('gzip', '/40'), '', 'shorter than the policy says');
    await world.rule(trafficPolicy('all', gateway, { compression: { contentTypes: ['text/html'] } }));
    t.is(await encodingOf('gzip'), '');
  },
);

thorough(test)('a fault does not hide that a request may not come in', async (t) => {
  const world = await startTrafficWorld(t);
  const denied = { ...trafficPolicy('denied', web, { clientIPs: { deny: ['127.0.0.0/8'] } }), kind: 'AccessPolicy' };
  const faults = { abort: { status: 418, percent: 100 }, onlyWithHeader: { name: 'x-fault' } };
  await world.rule(trafficPolicy('all', gateway, { faults }), denied);
  const statusOf = async (host: string) => (await world.ask(host, { headers: { 'x-fault': 'yes' } })).status;
  for (const host of spellings) t.is(await statusOf(host), 403, host);
  for (const host of neighbours) t.is(await statusOf(host), 418, host);
});

thorough(test)('bodies that are too large fill no log', async (t) => {
  const world = await startTrafficWorld(t);
  await world.rule(trafficPolicy('web', web, { requestBody: { maxBytes: '1k' } }));
  const bodies: Record<string, string>[] = [{}, { 'transfer-encoding': 'chunked' }];
  for (const headers of bodies) {
    const { status } = await world.ask('a.test', { path: '/secret-path', method: 'POST', headers, body: text });
    t.is(status, 413);
  }
  await world.stop();
  const lines = world.log.filter(({ level }) => level !== 'debug').map(({ msg }) => String(msg));
  t.deepEqual(
    lines.filter((line) => line.includes('secret-path') || /exceed/i.test(line)),
    [],
  );
});
