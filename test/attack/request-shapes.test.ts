import anyTest, { type TestFn } from 'ava';
import { endings } from '../support/endings.ts';
import { type CountingBackend, serviceObjects, startBackend } from '../support/http.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { every } from '../support/repetitions.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

// A stranger on the traffic port sends what a proxy and a backend could read in two ways.

const test = anyTest as TestFn<{ readonly gateway: Standalone; readonly backend: CountingBackend }>;

const all = endings(test);
test.before(async (t) => {
  const backend = await startBackend(all);
  const to = { backendRefs: [{ name: 'web', port: 80 }] };
  const gateway = await startStandalone({
    'web.yaml': [...serviceObjects('web', [backend.port]), routeObject('pub', 'pub.test', [to])],
  });
  all.teardown(() => gateway.stop());
  t.context = { gateway, backend };
  const ask = () => exchange(gateway.port, rawRequest('/ready', ['Host: pub.test']));
  await untilFits('the route to be served', ask, ({ status }) => status === 200);
});

const host = 'Host: pub.test';
const hidden = 'GET /hidden HTTP/1.1\r\nHost: pub.test\r\nContent-Length: 0\r\n\r\n';

/** Title, the bytes, and the status that they are answered with. None of these reaches the backend. */
const rejected: readonly (readonly [title: string, bytes: string, status: number])[] = [
  [
    'Content-Length beside Transfer-Encoding',
    `POST /a HTTP/1.1\r\n${host}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`,
    400,
  ],
  [
    'Transfer-Encoding twice',
    `POST /a HTTP/1.1\r\n${host}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${hidden}`,
    501,
  ],
  [
    'Transfer-Encoding that ends otherwise',
    `POST /a HTTP/1.1\r\n${host}\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n${hidden}`,
    501,
  ],
  [
    'two lengths that differ',
    `POST /a HTTP/1.1\r\n${host}\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\n${hidden}`,
    400,
  ],
  ['a length with a sign', `POST /a HTTP/1.1\r\n${host}\r\nContent-Length: +0\r\n\r\n${hidden}`, 400],
  ['a blank before the colon', `POST /a HTTP/1.1\r\n${host}\r\nContent-Length : 0\r\n\r\n${hidden}`, 400],
  ['a header without a name', `GET /a HTTP/1.1\r\n${host}\r\n: x\r\n\r\n`, 400],
  ['a header with a zero byte', `GET /a HTTP/1.1\r\n${host}\r\nX-A: a\0b\r\n\r\n`, 400],
  ['a name with an underscore', `GET /a HTTP/1.1\r\n${host}\r\nx_forwarded_for: 192.0.2.1\r\n\r\n`, 400],
  ['no Host', 'GET /a HTTP/1.1\r\n\r\n', 400],
  ['a Host with a bar', 'GET /a HTTP/1.1\r\nHost: pub.test|x\r\n\r\n', 400],
  ['HTTP/1.0', `GET /a HTTP/1.0\r\n${host}\r\n\r\n`, 426],
  ['a path with a zero byte', `GET /a%00b HTTP/1.1\r\n${host}\r\n\r\n`, 400],
  [
    'Connection that names x-forwarded-for',
    `GET /a HTTP/1.1\r\n${host}\r\nConnection: close, x-forwarded-for\r\n\r\n`,
    400,
  ],
];

/** The same for bodies, whose request may have begun at the backend: it is broken off there, and what follows is no request. */
const brokenOff: typeof rejected = [
  [
    'a chunk whose extension holds a line end',
    `POST /a HTTP/1.1\r\n${host}\r\nTransfer-Encoding: chunked\r\n\r\n1;a\nb\r\nx\r\n0\r\n\r\n${hidden}`,
    400,
  ],
  [
    'a chunk of a negative size',
    `POST /a HTTP/1.1\r\n${host}\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n0\r\n\r\n${hidden}`,
    400,
  ],
];

const served = async ({ gateway }: { readonly gateway: Standalone }, path: string): Promise<boolean> =>
  (await exchange(gateway.port, rawRequest(path, [host]))).status === 200;

const seenOf = ({ backend }: { readonly backend: CountingBackend }, mark: string): readonly string[] =>
  backend.requests.filter((path) => path.startsWith(mark));

for (const [index, [title, bytes, status]] of every(3, [...rejected.entries()])) {
  test(`${title}: ${status}, and nothing of it reaches a backend`, async (t) => {
    const mark = `/rejected-${index}-`;
    const answer = await exchange(t.context.gateway.port, bytes.replace(/ \/(?=a|hidden)/g, ` ${mark}`));
    t.is(answer.status, status, answer.text);
    t.true(await served(t.context, `${mark}after`), 'the next client is served');
    t.deepEqual(seenOf(t.context, mark), [`${mark}after`]);
  });
}

for (const [index, [title, bytes, status]] of brokenOff.entries()) {
  test(`${title}: ${status}, and nothing behind it reaches a backend`, async (t) => {
    const mark = `/broken-${index}-`;
    const answer = await exchange(t.context.gateway.port, bytes.replace(/ \/(?=a|hidden)/g, ` ${mark}`));
    t.is(answer.status, status, answer.text);
    t.true(await served(t.context, `${mark}after`), 'the next client is served');
    t.false(seenOf(t.context, mark).includes(`${mark}hidden`));
  });
}
