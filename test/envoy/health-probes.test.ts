import test from 'ava';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { ownObject } from '../support/objects.ts';
import { pause } from '../support/pace.ts';
import { thorough } from '../support/repetitions.ts';
import { routeObject, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/** How endpoints are probed by HTTP, with bodies and statuses, through the running program with a real Envoy. */

const policy = (active: object) =>
  ownObject('BackendPolicy', 'web', {
    targetRefs: [{ group: '', kind: 'Service', name: 'web' }],
    healthCheck: { active: { interval: '100ms', timeout: '100ms', ...active }, panicThreshold: 0 },
  });

async function startWorld(t: Parameters<typeof startBackend>[0], ports: readonly number[], active: object) {
  const other = await startBackend(t);
  const world = await startStandalone({
    'web.yaml': [
      ...serviceObjects('web', ports),
      ...serviceObjects('other', [other.port]),
      routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
      routeObject('wide', '*.wide.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
      routeObject('other', 'other.test', [{ backendRefs: [{ name: 'other', port: 80 }] }]),
    ],
    'policy.yaml': [policy(active)],
  });
  t.teardown(world.stop);
  const statusOf = async (host: string) => (await send(world.port, { host })).status;
  const is = (host: string, status: number) =>
    untilFits(
      `${host} to be answered ${status}`,
      () => statusOf(host),
      (found) => found === status,
    );
  return { ...world, statusOf, is };
}

test('an endpoint is well that answers a body with the text that is expected', async (t) => {
  const bodies: string[] = [];
  let answer = 'all is WELL here';
  const server = await startBackend(t, (request, response) => {
    if (request.url !== '/probe') return void response.end('ok');
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.once('end', () => {
      bodies.push(`${request.method} ${body}`);
      response.end(answer);
    });
  });
  const http = { path: '/probe', method: 'POST', body: 'how "are" you?', expectedBody: 'WELL' };
  const { is } = await startWorld(t, [server.port], { http, unhealthyThreshold: 1 });
  await is('web.test', 200);
  await is('x.wide.test', 200);
  t.deepEqual([...new Set(bodies)], ['POST how "are" you?']);
  answer = 'all is lost';
  await is('web.test', 503);
  await is('x.wide.test', 503);
  await is('other.test', 200);
  answer = 'WELL again';
  await is('web.test', 200);
});

thorough(test)('an answer that is retriable fails an endpoint only in a row', async (t) => {
  let probes = 0;
  let isBad = (_count: number) => false;
  const server = await startBackend(t, (request, response) => {
    if (request.url === '/probe') probes += 1;
    response.writeHead(request.url === '/probe' && isBad(probes) ? 429 : 200).end('ok');
  });
  const http = { path: '/probe', expectedStatuses: [{ from: 200, to: 299 }], retriableStatuses: [{ from: 429 }] };
  const { is, statusOf, write } = await startWorld(t, [server.port], { http, unhealthyThreshold: 60 });
  await is('web.test', 200);
  // Nine of ten: even with some that time out they are less than sixty in a row.
  isBad = (count) => count % 10 !== 0;
  for (const end = probes + 40; probes < end; await pause()) t.is(await statusOf('web.test'), 200);
  isBad = () => true;
  await is('web.test', 503);
  isBad = () => false;
  await is('web.test', 200);
  // Without it, one such answer is enough.
  write('policy.yaml', policy({ http: { path: '/probe' }, unhealthyThreshold: 20 }));
  await is('web.test', 200);
  isBad = (count) => count % 3 === 0;
  await is('web.test', 503);
});

thorough(test)(
  'endpoints are asked at another port than the one that gets their requests, which changes with the policy',
  async (t) => {
    let asked = 0;
    const server = await startBackend(t, (request, response) => {
      if (request.url === '/probe') asked += 1;
      response.writeHead(request.url === '/probe' ? 500 : 200).end('ok');
    });
    const probed: string[] = [];
    let status = 200;
    const health = await startBackend(t, (request, response) => {
      probed.push(`${request.headers.host} ${request.url}`);
      response.writeHead(status).end();
    });
    // Time enough that no probe fails because the machine is busy.
    const times = { interval: '1s', timeout: '1s' };
    const at = (port: number) => ({ ...times, http: { path: '/probe' }, port, unhealthyThreshold: 1 });
    const { is, write } = await startWorld(t, [server.port], at(health.port));
    await is('web.test', 200);
    await is('x.wide.test', 200);
    t.deepEqual([...new Set(probed)], ['web.default /probe']);
    t.is(asked, 0);
    status = 500;
    await is('web.test', 503);
    await is('x.wide.test', 503);
    await is('other.test', 200);
    status = 200;
    await is('web.test', 200);
    // Their own port again, which answers probes badly.
    const { port: _, ...own } = at(health.port);
    write('policy.yaml', policy(own));
    await untilFits(
      'a probe at their own port',
      () => asked,
      (count) => count > 0,
    );
    await is('web.test', 503);
    write('policy.yaml', policy(at(health.port)));
    await is('web.test', 200);
  },
);

thorough(test)(
  'an endpoint that failed is well again after as many good answers in a row as a policy asks for',
  async (t) => {
    let isWell = true;
    let good = 0;
    const server = await startBackend(t, (request, response) => {
      if (request.url !== '/probe') return void response.end('ok');
      good = isWell ? good + 1 : 0;
      response.writeHead(isWell ? 200 : 500).end();
    });
    const rules = { unhealthyThreshold: 1, healthyThreshold: 10 };
    const { is } = await startWorld(t, [server.port], {
      interval: '500ms',
      timeout: '500ms',
      http: { path: '/probe' },
      ...rules,
    });
    await is('web.test', 200);
    isWell = false;
    await is('web.test', 503);
    isWell = true;
    await is('web.test', 200);
    // More answers may have come since. Without the policy, one is enough.
    t.true(good >= 10, `${good} good answers`);
  },
);
