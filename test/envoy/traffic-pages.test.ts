import test from 'ava';
import { every, thorough } from '../support/repetitions.ts';
import { neighbours, spellings, startTrafficWorld, trafficPolicy } from '../support/traffic-world.ts';
import { untilFits } from '../support/until.ts';

/** Pages of TrafficPolicies for errors, through the running program with a real Envoy. */

const gateway = { kind: 'Gateway', name: 'edge' };
const web = { name: 'web' };
const html = 'text/html';

const pages = (data: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'pages' },
  data,
});

test('a page follows its ConfigMap, and while it is missing answers stay as they are', async (t) => {
  const world = await startTrafficWorld(t, (_, response) => response.writeHead(500).end('from the backend'));
  const body = { contentType: html, configMapRef: { name: 'pages' } };
  await world.rule(trafficPolicy('web', web, { errorPages: [{ classes: ['5xx'], body }] }));
  const pageOf = async (host: string) => (await world.ask(host)).body;
  for (const host of spellings) t.is(await pageOf(host), 'from the backend', host);
  world.write('pages.yaml', pages({ 'error.html': 'first' }));
  for (const host of spellings)
    await untilFits(
      'the page',
      () => pageOf(host),
      (text) => text === 'first',
    );
  world.write('pages.yaml', pages({ 'error.html': 'second' }));
  for (const host of spellings)
    await untilFits(
      'the page',
      () => pageOf(host),
      (text) => text === 'second',
    );
  world.write('pages.yaml', pages({ 'error.json': '{}' }));
  for (const host of spellings)
    await untilFits(
      'the page',
      () => pageOf(host),
      (text) => text === 'from the backend',
    );
  for (const host of neighbours) t.is(await pageOf(host), 'from the backend', host);
});

test('pages are for errors of the proxy, of backends, or both', async (t) => {
  const world = await startTrafficWorld(t, (request, response) =>
    response.writeHead(request.headers['x-fail'] ? 403 : 200).end('from the backend'),
  );
  const denied = {
    ...trafficPolicy('denied', { ...web, sectionName: 'special' }, { clientIPs: { deny: ['127.0.0.0/8'] } }),
    kind: 'AccessPolicy',
  };
  const errorPages = (['Gateway', 'Backend'] as const).map((source) => ({
    codes: [403, 404],
    source,
    body: { contentType: html, inline: `of ${source}` },
  }));
  await world.rule(trafficPolicy('all', gateway, { errorPages }), denied);
  const ask = (host: string, path: string) => world.ask(host, { path, headers: { 'x-fail': 'yes' } });
  for (const host of spellings) {
    t.like(await ask(host, '/special'), { status: 403, body: 'of Gateway' }, host);
    t.like(await ask(host, '/'), { status: 403, body: 'of Backend' }, host);
  }
  for (const host of neighbours) t.like(await ask(host, '/'), { status: 403, body: 'of Backend' }, host);
  for (const host of ['nowhere.test', 'x.nowhere.test'])
    t.like(await ask(host, '/'), { status: 404, body: 'of Gateway' }, 'a host without any route');
  t.like(await world.ask('a.test'), { status: 200, body: 'from the backend' });
});

for (const phase of every(2, ['BeforeAuth', 'AfterAuth'])) {
  test(`requests that a limit rejects get a page, ${phase}`, async (t) => {
    const world = await startTrafficWorld(t, (_, response) => response.writeHead(200).end('from the backend'));
    const body = { contentType: 'application/json', inline: '{"slow":"down"}' };
    const buckets = [{ name: 'b', match: { path: { value: '/limited' } }, limits: [{ requests: 1, per: '60s' }] }];
    const limit = { ...trafficPolicy('limit', gateway, { phase, buckets }), kind: 'RateLimitPolicy' };
    await world.rule(trafficPolicy('all', gateway, { errorPages: [{ codes: [429], source: 'Gateway', body }] }), limit);
    for (const host of spellings) {
      const { status, headers, body } = await untilFits(
        'the limit',
        () => world.ask(host, { path: '/limited' }),
        (answer) => answer.status === 429,
      );
      t.deepEqual([status, headers['content-type'], body], [429, 'application/json', '{"slow":"down"}'], host);
      t.is((await world.ask(host)).body, 'from the backend', host);
    }
  });
}

thorough(test)('a page comes whole, whatever the backend did with its own, and without a body to HEAD', async (t) => {
  const world = await startTrafficWorld(t, (_, response) => {
    response.writeHead(503, { 'content-type': 'application/json', 'content-encoding': 'gzip', etag: '"x"' });
    response.end('no text at all');
  });
  const [inline, contentType] = ['sorry, '.repeat(500), `${html}; charset=utf-8`];
  const errorPages = [{ classes: ['5xx'], body: { contentType, inline } }];
  await world.rule(trafficPolicy('all', gateway, { compression: {}, errorPages }));
  for (const host of [...spellings, ...neighbours]) {
    const { status, headers, body } = await world.ask(host, { headers: { 'accept-encoding': 'gzip, br' } });
    t.deepEqual([status, body], [503, inline], host);
    t.like(headers, { 'content-type': contentType, 'content-length': String(inline.length) }, host);
    t.false('content-encoding' in headers || 'etag' in headers, host);
  }
  t.like(await world.ask('a.test', { method: 'HEAD' }), { status: 503, body: '' });
});
