import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import type { Operation } from '../../src/admin/index.ts';
import { operations } from '../../src/app/addons/operations.ts';
import { endings } from '../support/endings.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

// A page of another site, in the browser of a person who runs an admin API without a token. Requests are written byte by byte as
// browsers send them: with Origin and Sec-Fetch-Site, and before all but the simple ones a preflight (Fetch standard, CORS protocol).

interface World {
  readonly gateway: Standalone;
  /** Another server of this machine. */
  readonly otherPort: number;
}

const test = anyTest as TestFn<World>;
const all = endings(test);

test.before(async (t) => {
  const gateway = await startStandalone({ 'route.yaml': [routeObject('kept', 'kept.test', [{}])] });
  all.teardown(() => gateway.stop());
  t.context = { gateway, otherPort: await freePort() };
  await untilFits(
    'the route',
    () => gateway.control.graph.snapshot()?.counts.routes,
    (routes) => routes === 1,
  );
  // Its agent is started when the Gateway is known.
  await untilFits(
    'the agent',
    () => exchange(gateway.agentPort, rawRequest('/healthz', ['Host: 127.0.0.1'])),
    ({ status }) => status === 200,
  );
});

/** Title, and what a browser writes of where a page is from. */
const pages = ({ gateway, otherPort }: World): readonly (readonly [string, readonly string[]])[] => [
  ['another site', ['Origin: https://evil.example', 'Sec-Fetch-Site: cross-site']],
  ['another site, in a browser without Sec-Fetch-Site', ['Origin: https://evil.example']],
  ['a file or a sandboxed frame', ['Origin: null', 'Sec-Fetch-Site: cross-site']],
  ['a sandboxed frame without more', ['Origin: null']],
  ['another port of this machine', [`Origin: http://127.0.0.1:${otherPort}`, 'Sec-Fetch-Site: same-site']],
  ['the same by name', [`Origin: http://localhost:${otherPort}`, 'Sec-Fetch-Site: cross-site']],
  [
    'the same port by TLS',
    [`Origin: https://127.0.0.1:${gateway.control.ports.layout1 + 1}`, 'Sec-Fetch-Site: same-site'],
  ],
  ['a form that keeps its origin back', ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate']],
  ['a name that begins like ours', [`Origin: http://127.0.0.1:${gateway.control.ports.layout1}.evil.example`]],
];

/** What needs no preflight. */
const simpleTypes = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];

const grant = {
  apiVersion: 'gateway.networking.k8s.io/v1beta1',
  kind: 'ReferenceGrant',
  metadata: { name: 'forged', namespace: 'default' },
  spec: {
    from: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: 'mal' }],
    to: [{ group: '', kind: 'Secret' }],
  },
};

/** A body that would be taken if it came from elsewhere. */
const bodies: Readonly<Record<string, object>> = {
  '/v1/resources': grant,
  '/v1/chatbot/chat': { message: 'how many routes are there?' },
  '/v1/chatbot/config': { endpoint: 'http://evil.example', model: 'x' },
  '/v1/metrics/config': { url: 'http://evil.example' },
  '/mcp': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
};

const names: Readonly<Record<string, string>> = {
  kind: 'HTTPRoute',
  namespace: 'default',
  name: 'kept',
  nodeId: 'any',
};
const pathOf = ({ path }: Operation): string => path.replaceAll(/:(\w+)/g, (_, name: string) => names[name] ?? name);

/** They answer what they were asked and change nothing, so a page that cannot read answers gains nothing by them. */
const readsByPost = ['/v1/route-test', '/v1/diff', '/v1/validate', '/v1/metrics/query', '/v1/metrics/query_range'];
const writes = operations.filter(({ method, path }) => method !== 'get' && !readsByPost.includes(path));

const send = (port: number, method: string, path: string, headers: readonly string[], body = '') => {
  const length = method === 'OPTIONS' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return exchange(port, rawRequest(path, [`Host: 127.0.0.1:${port}`, ...headers, ...length], { method, body }));
};

const filesOf = ({ directory, stateDirectory }: Standalone): Readonly<Record<string, string>> => {
  const all = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(yaml|json)$/.test(entry.name))
      .map(({ parentPath, name }): [string, string] => [name, readFileSync(join(parentPath, name), 'utf8')]);
  return Object.fromEntries([...all(directory), ...all(stateDirectory)]);
};

test.serial('no page of another site writes, chats or calls tools, whatever its body says it is', async (t) => {
  const { gateway } = t.context;
  const port = gateway.control.ports.layout1;
  const before = filesOf(gateway);
  t.true(writes.length >= 7, 'there is something to be guarded');
  for (const operation of writes) {
    const [method, path] = [operation.method.toUpperCase(), pathOf(operation)];
    const body = JSON.stringify(
      bodies[path] ?? { ...grant, kind: 'HTTPRoute', metadata: { name: 'kept', namespace: 'default' } },
    );
    for (const [page, headers] of pages(t.context)) {
      for (const type of [...simpleTypes, 'application/json', 'application/yaml']) {
        const answer = await send(port, method, path, [...headers, `Content-Type: ${type}`], body);
        t.is(answer.status, 403, `${method} ${path} as ${type} from ${page}: ${answer.text}`);
        t.false(answer.headers.has('access-control-allow-origin'));
      }
    }
  }
  t.deepEqual(filesOf(gateway), before);
});

test.serial('the same is taken from our own pages, and from what is no browser', async (t) => {
  const { gateway } = t.context;
  const port = gateway.control.ports.layout1;
  const own = [[`Origin: http://127.0.0.1:${port}`, 'Sec-Fetch-Site: same-origin'], []];
  for (const [index, headers] of own.entries()) {
    const body = JSON.stringify({ ...grant, metadata: { name: `own-${index}`, namespace: 'default' } });
    const answer = await send(port, 'POST', '/v1/resources', [...headers, 'Content-Type: application/json'], body);
    t.is(answer.status, 201, answer.text);
  }
});

test('no answer may be read by a page of another site, and no preflight is granted', async (t) => {
  const { gateway } = t.context;
  const { layout1, layout2, metrics } = gateway.control.ports;
  const faces: readonly (readonly [number, string])[] = [
    [layout1, '/v1/summary'],
    [layout1, '/v1/resources'],
    [layout1, '/mcp'],
    [layout2, '/api/v1/gateways'],
    [metrics, '/metrics'],
    [gateway.agentPort, '/api/v1/status'],
  ];
  for (const [port, path] of faces) {
    for (const [page, headers] of pages(t.context)) {
      const asking = [
        'Access-Control-Request-Method: PUT',
        'Access-Control-Request-Headers: content-type,authorization',
      ];
      for (const [method, more] of [
        ['GET', []],
        ['OPTIONS', asking],
      ] as const) {
        const answer = await send(port, method, path, [...headers, ...more]);
        const granted = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'));
        t.deepEqual(granted, [], `${method} ${path} for ${page}`);
      }
    }
  }
});

test('what a page may send without a preflight is no body of ours: 415, even where it only asks', async (t) => {
  const port = t.context.gateway.control.ports.layout1;
  for (const path of readsByPost) {
    for (const type of simpleTypes) {
      const answer = await send(port, 'POST', path, ['Sec-Fetch-Site: cross-site', `Content-Type: ${type}`], '{}');
      t.true([403, 415].includes(answer.status), `${path} as ${type}: ${answer.status}`);
    }
  }
});

test('answers are framed by no page, and taken for nothing but what they are', async (t) => {
  const { layout1, layout2 } = t.context.gateway.control.ports;
  for (const [port, path] of [
    [layout1, '/v1/summary'],
    [layout1, '/docs'],
    [layout2, '/api/v1/gateways'],
  ] as const) {
    const { headers } = await send(port, 'GET', path, []);
    t.deepEqual(headers.get('x-content-type-options'), ['nosniff'], path);
    t.regex(
      String(headers.get('content-security-policy') ?? headers.get('x-frame-options')),
      /frame-ancestors|SAMEORIGIN|DENY/i,
      path,
    );
  }
});
