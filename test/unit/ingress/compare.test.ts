import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import test, { type ExecutionContext } from 'ava';
import { root } from '../../../scripts/paths.mjs';
import { explanations, readAccessLog, readSideAddress, upstreamHosts } from '../../../src/ingress/index.ts';
import { modelOf } from '../../support/ingress-model.ts';

test('every explanation has a row in the documentation', (t) => {
  const page = readFileSync(join(root, 'docs/ingress-nginx-compare.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code]) => code);
  t.deepEqual(
    rows,
    explanations.map(({ code }) => code),
  );
});

test('an address has up to two ports', (t) => {
  t.deepEqual(readSideAddress('10.0.0.1'), { host: '10.0.0.1', httpPort: 80, httpsPort: 443 });
  t.deepEqual(readSideAddress('edge.test:8080:8443'), { host: 'edge.test', httpPort: 8080, httpsPort: 8443 });
  t.deepEqual(readSideAddress('[2001:db8::1]:8080'), { host: '2001:db8::1', httpPort: 8080, httpsPort: 443 });
  for (const text of ['', 'a b', '2001:db8::1', '[a]:1', 'a:0', 'a:70000', 'http://a', 'a/b'])
    t.is(readSideAddress(text), undefined, text);
});

function file(t: ExecutionContext, name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-log-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return join(folder, name);
}

const ownFormat = (request: string, upstream: string): string =>
  `192.0.2.1 - - [26/Nov/2026:01:00:00 +0000] "${request}" 200 5 "-" "curl/8" 80 0.001 [${upstream}] [] 10.0.0.1:80 5 0.001 200 0123456789abcdef`;

test('the host of a line in the controller’s own format is found by its upstream and its path', async (t) => {
  const model = modelOf([
    { name: 'a', host: 'a.test', paths: { '/a': 'shared', '/x': 'a' } },
    { name: 'b', host: 'b.test', tls: ['b.test'], paths: { '/b': 'shared' } },
  ]);
  const path = file(t, 'access.log');
  const lines = [
    ownFormat('GET /a/1 HTTP/1.1', 'shop-shared-80'),
    ownFormat('GET /b/1?q=\\x22 HTTP/2.0', 'shop-shared-80'),
    ownFormat('POST /x HTTP/1.1', 'shop-a-80'),
    ownFormat('GET / HTTP/1.1', 'upstream-default-backend'),
    ownFormat('\\x16\\x03\\x01', ''),
  ];
  writeFileSync(path, lines.join('\n'));
  const { requests, unread } = await readAccessLog(path, upstreamHosts(model), 100);
  t.deepEqual(
    requests.map(({ method, scheme, host, target }) => `${method} ${scheme}://${host}${target}`),
    ['GET http://a.test/a/1', 'GET https://b.test/b/1?q="', 'POST http://a.test/x'],
  );
  t.is(unread, 2);
});

test('lines of JSON and lines with a host need no Ingress', async (t) => {
  const path = file(t, 'access.log');
  writeFileSync(
    path,
    [
      '{"vhost": "a.test", "method": "GET", "path": "/one", "request_query": "q=1"}',
      '{"host": "b.test:8080", "request_method": "HEAD", "request_uri": "/two?x"}',
      'c.test 192.0.2.1 - - [26/Nov/2026:01:00:00 +0000] "GET /three HTTP/1.1" 200',
      '{"host": 1, "method": [], "path": {}}',
      '{broken',
    ].join('\n'),
  );
  const { requests, unread } = await readAccessLog(path, () => undefined, 100);
  t.deepEqual(
    requests.map(({ method, host, target }) => `${method} ${host}${target}`),
    ['GET a.test/one?q=1', 'HEAD b.test:8080/two?x', 'GET c.test/three'],
  );
  t.is(unread, 2);
});

test('a log without end is read until there are enough requests, and a line without end is cut', async (t) => {
  const path = file(t, 'access.log');
  const out = createWriteStream(path);
  out.write(`a.test "GET /${'x'.repeat(8 * 2 ** 20)} HTTP/1.1" 200\n`);
  for (let at = 0; at < 60_000; at += 1) out.write(`a.test - "GET /${at % 1_000} HTTP/1.1" 200\n`);
  out.end();
  await finished(out);
  const enough = await readAccessLog(path, () => undefined, 10);
  t.is(enough.requests.length, 10);
  t.is(enough.lines, 11);
  t.is(enough.unread, 1);
  const all = await readAccessLog(path, () => undefined, 5_000);
  t.is(all.requests.length, 1_000);
  t.is(all.lines, 60_001);
});
