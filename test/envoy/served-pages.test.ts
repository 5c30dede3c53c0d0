import type { IncomingMessage, ServerResponse } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { serviceObjects, startBackend } from '../support/http.ts';
import { neighbours, spellings, startTrafficWorld, trafficPolicy } from '../support/traffic-world.ts';
import { until, untilFits } from '../support/until.ts';

/** Pages for errors that a Service has, through the running program with a real Envoy. */

const gateway = { kind: 'Gateway', name: 'edge' };
const web = { name: 'web' };
const backendRef = { name: 'pages', port: 80 };
const secret = 'of the error, and not for clients';

/** Answers every request with the error that it asks for. */
function fails({ headers }: IncomingMessage, response: ServerResponse): void {
  const status = Number(headers['x-fail'] ?? 200);
  const body = status === 200 ? 'fine' : secret.repeat(Number(headers['x-times'] ?? 1));
  const length = headers['x-length'] ? { 'content-length': body.length } : {};
  response.writeHead(status, { 'content-type': 'text/html', 'x-of-error': 'yes', 'set-cookie': 'error=1', ...length });
  response.end(body);
}

type Answer = Parameters<typeof startBackend>[1];

const pageFor: Answer = ({ headers }, response) =>
  response
    .writeHead(207, { 'content-type': 'application/json', 'x-of-page': 'yes', connection: 'close', 'x-gw-odd': 'no' })
    .end(`page for ${headers['x-code']}`);

async function startPages(t: ExecutionContext, answer: Answer = pageFor) {
  const pages = await startBackend(t, answer);
  const world = await startTrafficWorld(t, fails, { 'pages.yaml': serviceObjects('pages', [pages.port]) });
  const fail = (host: string, status: number, more: Readonly<Record<string, string>> = {}, method = 'GET') =>
    world.ask(host, { method, path: '/a/b?c=d', headers: { 'x-fail': String(status), ...more } });
  return { world, pages, fail };
}

const served = (service: object = {}) => ({
  errorPages: [{ codes: [404], classes: ['5xx'], service: { backendRef, ...service } }],
});

test('a Service has the pages of a route, and of no other one', async (t) => {
  const { world, pages, fail } = await startPages(t);
  await world.rule(trafficPolicy('web', web, served()));
  for (const host of spellings) {
    for (const status of [404, 500, 503]) {
      const { headers, ...answer } = await fail(host, status);
      t.like(answer, { status, body: `page for ${status}` }, host);
      t.like(headers, { 'content-type': 'application/json', 'x-of-page': 'yes' }, host);
      for (const name of ['x-of-error', 'set-cookie', 'x-gw-odd']) t.false(name in headers, name);
    }
    t.like(await fail(host, 403), { status: 403, body: secret }, host);
    t.like(await fail(host, 200), { status: 200, body: 'fine' }, host);
  }
  for (const host of neighbours) t.like(await fail(host, 404), { status: 404, body: secret }, host);
  t.is(pages.requests.length, 3 * spellings.length);
});

test('the Service learns what went wrong and nothing that is the client’s alone', async (t) => {
  const { world, pages, fail } = await startPages(t);
  await world.rule(
    trafficPolicy('web', web, served({ path: '/page?x=y', headers: [{ name: 'X-App', value: 'shop' }] })),
  );
  const client = { accept: 'text/x', 'accept-language': 'de', 'x-request-id': 'mine', 'x-code': '1' };
  await fail('a.test', 404, { ...client, cookie: 'a=b', authorization: 'Basic x' }, 'POST');
  t.deepEqual(pages.requests, ['/page?x=y']);
  const [seen = {}] = pages.seen;
  t.like(seen, { 'x-code': '404', 'x-format': 'text/x', 'x-original-uri': '/a/b?c=d', 'x-app': 'shop' });
  t.like(seen, { host: 'a.test', 'accept-language': 'de' });
  t.truthy(seen['x-request-id']);
  for (const name of ['cookie', 'authorization', 'x-fail', 'accept']) t.false(name in seen, name);
});

test('the status is that of the error, or that of the Service where the policy says so', async (t) => {
  const { world, fail } = await startPages(t);
  await world.rule(trafficPolicy('all', gateway, served({ status: 'Service' })));
  for (const host of [...spellings, ...neighbours])
    t.like(await fail(host, 502), { status: 207, body: 'page for 502' }, host);
});

test('errors of the proxy itself have pages too, and those of hosts without any route', async (t) => {
  const { world } = await startPages(t);
  const deny = { clientIPs: { deny: ['127.0.0.0/8'] } };
  const denied = { ...trafficPolicy('denied', { ...web, sectionName: 'special' }, deny), kind: 'AccessPolicy' };
  const errorPages = [{ classes: ['4xx'], service: { backendRef } }];
  await world.rule(trafficPolicy('all', gateway, { errorPages }), denied);
  t.like(await world.ask('a.test', { path: '/special' }), { status: 403, body: 'page for 403' });
  t.like(await world.ask('nowhere.test'), { status: 404, body: 'page for 404' });
  t.like(await world.ask('a.test'), { status: 200, body: 'fine' });
});

test('a page comes whole, compressed for those who want that, and without a body to HEAD', async (t) => {
  const text = 'a long page, '.repeat(20_000);
  const { world, pages, fail } = await startPages(t, (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html', etag: '"x"' }).end(text),
  );
  await world.rule(trafficPolicy('all', gateway, { ...served(), compression: {} }));
  for (const times of ['0', '1', '500']) t.true((await fail('a.test', 500, { 'x-times': times })).body === text, times);
  const { headers } = await fail('a.test', 500, { 'accept-encoding': 'gzip' });
  t.is(headers['content-encoding'], 'gzip');
  const head = await fail('a.test', 500, {}, 'HEAD');
  t.like(head, { status: 500, body: '' });
  t.is(head.headers['content-type'], 'text/html');
  t.is(pages.seen.filter((headers) => headers['x-code'] === '500').length, 5);
  const long = secret.repeat(10_000);
  t.true((await fail('a.test', 500, { 'x-times': '10000', 'x-length': 'yes' })).body === long);
});

test('while the Service does not answer errors stay as they are', async (t) => {
  const held: ServerResponse[] = [];
  const { world, fail } = await startPages(t, (_, response) => held.push(response));
  await world.rule(trafficPolicy('web', web, served({ timeout: '50ms' })));
  t.like(await fail('a.test', 404), { status: 404, body: secret }, 'it takes too long');
  world.write('pages.yaml', ...serviceObjects('pages', [await freePort()]));
  await world.rule(trafficPolicy('web', web, served()));
  t.like(await fail('a.test', 404), { status: 404, body: secret }, 'it takes no connection');
  world.write('pages.yaml', ...serviceObjects('pages', []));
  await world.rule(trafficPolicy('web', web, served({ path: '/other' })));
  t.like(await fail('a.test', 404), { status: 404, body: secret }, 'it has no endpoints');
  t.is(held.length, 1);
});

test('pages are those of the Service as soon as there is one', async (t) => {
  const { world, pages, fail } = await startPages(t);
  const elsewhere = { backendRef: { ...backendRef, name: 'later' } };
  await world.rule(trafficPolicy('web', web, served(elsewhere)));
  t.is((await fail('a.test', 404)).body, secret);
  world.write('later.yaml', ...serviceObjects('later', [pages.port]));
  await untilFits(
    'the page',
    async () => (await fail('a.test', 404)).body,
    (body) => body === 'page for 404',
  );
});

test('a request whose page is waited for is answered while policies change', async (t) => {
  const held: ServerResponse[] = [];
  const { world, fail } = await startPages(t, (_, response) => held.push(response));
  await world.rule(trafficPolicy('web', web, served({ timeout: '1m' })));
  const answers = Array.from({ length: 8 }, () => fail('a.test', 404));
  await until('all to wait', () => held.length === answers.length);
  await world.rule(trafficPolicy('all', gateway, { errorPages: [{ codes: [418], service: { backendRef } }] }));
  for (const response of held) response.end('late');
  for (const answer of await Promise.all(answers)) t.like(answer, { status: 404, body: 'late' });
  t.is((await fail('a.test', 404)).body, secret);
  const last = [fail('a.test', 418), fail('n.test', 418)];
  await until('two more to wait', () => held.length === answers.length + last.length);
  await world.rule(trafficPolicy('all', gateway, { compression: {} }));
  for (const answer of await Promise.all(last)) t.like(answer, { status: 418, body: secret });
});
