import test from 'ava';
import { gatewayObjects } from '../support/standalone.ts';
import { answerGroups, longText as text, trafficGroups } from '../support/traffic-groups.ts';
import { neighbours, spellings, startTrafficWorld, trafficPolicy } from '../support/traffic-world.ts';

/** Groups of TrafficPolicies that are filters, through the running program with a real Envoy. */

const gateway = { kind: 'Gateway', name: 'edge' };
const web = { name: 'web' };
const special = { name: 'web', sectionName: 'special' };

for (const { group, value, other, look, seen } of trafficGroups) {
  const [ofValue, ofOther] = seen;

  test(`${group} of a route is for its requests, however their hosts are found, and for no neighbour`, async (t) => {
    const world = await startTrafficWorld(t, answerGroups);
    const plain = await look(world, 'a.test', '/');
    await world.rule(
      trafficPolicy('web', web, { [group]: value }),
      trafficPolicy('special', special, { [group]: other }),
    );
    for (const host of spellings) {
      t.is(await look(world, host, '/'), ofValue, host);
      t.is(await look(world, host, '/special'), ofOther, host);
    }
    for (const host of neighbours) t.is(await look(world, host, '/'), plain, host);
    await world.rule(trafficPolicy('special', special, { [group]: value }));
    for (const host of spellings) {
      t.is(await look(world, host, '/'), plain, host);
      t.is(await look(world, host, '/special'), ofValue, host);
    }
  });

  test(`${group} of a Gateway is for all requests but those whose route says otherwise, which mode Override takes away`, async (t) => {
    const world = await startTrafficWorld(t, answerGroups);
    const plain = await look(world, 'a.test', '/');
    const below = [
      trafficPolicy('web', web, { [group]: other }),
      trafficPolicy('special', special, { disabled: [group] }),
    ];
    await world.rule(trafficPolicy('all', gateway, { [group]: value }), ...below);
    for (const host of spellings) {
      t.is(await look(world, host, '/'), ofOther, host);
      t.is(await look(world, host, '/special'), plain, host);
    }
    for (const host of neighbours) t.is(await look(world, host, '/'), ofValue, host);
    await world.rule(trafficPolicy('all', gateway, { mode: 'Override', [group]: value }), ...below);
    for (const host of [...spellings, ...neighbours]) t.is(await look(world, host, '/'), ofValue, host);
    t.is(await look(world, 'a.test', '/special'), ofValue);
  });

  test(`${group} of one of several listeners is for its hosts alone`, async (t) => {
    const world = await startTrafficWorld(t, answerGroups);
    const plain = await look(world, 'a.test', '/');
    const [gatewayClass, edge] = gatewayObjects(world.port) as [object, { spec: object }];
    const listeners = [
      { name: 'http', port: world.port, protocol: 'HTTP' },
      { name: 'wild', port: world.port, protocol: 'HTTP', hostname: '*.w.test' },
    ];
    world.write('gateway.yaml', gatewayClass, { ...edge, spec: { ...edge.spec, listeners } });
    await world.rule(trafficPolicy('wild', { ...gateway, sectionName: 'wild' }, { [group]: value }));
    for (const host of ['x.w.test', 'X.w.Test', 'y.w.test:80']) t.is(await look(world, host, '/'), ofValue, host);
    for (const host of ['a.test', 'A.test', ...neighbours]) t.is(await look(world, host, '/'), plain, host);
  });
}

test('answers stay as they are that are short, of another type, or for clients that want them so', async (t) => {
  const world = await startTrafficWorld(t, (request, response) => {
    response.setHeader('content-type', request.url === '/events' ? 'text/event-stream' : 'application/json');
    response.end(request.url === '/short' ? '{}' : JSON.stringify(text));
  });
  await world.rule(trafficPolicy('all', gateway, { compression: {} }));
  const encodings = ['gzip', 'br', 'zstd', 'identity'];
  const encodingOf = async (accepted: string, path = '/') =>
    (await world.ask('a.test', { path, headers: { 'accept-encoding': accepted } })).headers['content-encoding'] ?? '';
  t.deepEqual(await Promise.all(encodings.map((accepted) => encodingOf(accepted))), ['gzip', 'br', 'zstd', '']);
  t.is(await encodingOf('gzip;q=0.5, br;q=0.9'), 'br', 'what the client likes best');
  t.is(await encodingOf('gzip, br, zstd'), 'zstd', 'else what the policy likes best');
  t.is(await encodingOf('gzip', '/events'), '');
  await world.rule(trafficPolicy('all', gateway, { compression: { contentTypes: ['text/html'] } }));
  t.is(await encodingOf('gzip'), '');
});

test('a fault does not hide that a request may not come in', async (t) => {
  const world = await startTrafficWorld(t);
  const denied = { ...trafficPolicy('denied', web, { clientIPs: { deny: ['127.0.0.0/8'] } }), kind: 'AccessPolicy' };
  const faults = { abort: { status: 418, percent: 100 }, onlyWithHeader: { name: 'x-fault' } };
  await world.rule(trafficPolicy('all', gateway, { faults }), denied);
  const statusOf = async (host: string) => (await world.ask(host, { headers: { 'x-fault': 'yes' } })).status;
  for (const host of spellings) t.is(await statusOf(host), 403, host);
  for (const host of neighbours) t.is(await statusOf(host), 418, host);
});

test('bodies that are too large fill no log', async (t) => {
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
