import { request as ask } from 'node:http';
import anyTest, { type TestFn } from 'ava';
import { type Standalone, startStandalone } from '../support/standalone.ts';

const test = anyTest as TestFn<{ gateway: Standalone; port: number }>;

test.before(async (t) => {
  const gateway = await startStandalone();
  t.context = { gateway, port: gateway.control.ports.layout1 };
});
test.after.always((t) => t.context.gateway?.stop());

/** Exactly this path, which `fetch` would tidy. */
const get = (port: number, path: string, headers: Record<string, string> = {}) =>
  new Promise<{ readonly status: number; readonly headers: NodeJS.Dict<string | string[]>; readonly body: string }>(
    (resolve, reject) => {
      // A connection that is kept may be closed for having been idle while the next request is on its way.
      ask({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk;
        });
        response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
      })
        .once('error', reject)
        .end();
    },
  );

test('a page of another site can neither be the page by its own name, nor show it in a frame', async (t) => {
  const { port } = t.context;
  for (const path of ['/', '/index.html'])
    t.is((await get(port, path, { host: 'rebound.example' })).status, 403, `${path} by a foreign name`);
  const { headers } = await get(port, '/');
  const policy = String(headers['content-security-policy']);
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ])
    t.true(policy.split('; ').includes(part), part);
  t.is(headers['set-cookie'], undefined);
});

test('paths of the page lead to no other file', async (t) => {
  const { port } = t.context;
  for (const path of [
    '/assets/../../package.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/..\\..\\package.json',
    '/assets//etc/passwd',
    '/assets/',
    '/assets/.inputs',
  ]) {
    const { status, body } = await get(port, path);
    t.true(status === 404 || status === 400, `${path}: ${status}`);
    t.false(body.includes('"dependencies"') || body.includes('root:'), path);
  }
});
