import { Agent, createServer, request as httpRequest } from 'node:http';
import anyTest, { type TestFn } from 'ava';
import { portOf } from '../../scripts/example/echo-server.ts';
import { endings } from '../support/endings.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

/** A client that wants another address than it has, directly and through a real proxy in front that is known by its address. */

interface Context {
  readonly gateway: Standalone;
  /** The proxy in front: it adds its client to X-Forwarded-For and passes everything else on, on few connections. */
  readonly front: number;
}

const test = anyTest as TestFn<Context>;
const all = endings(test);
const proxyAt = '127.0.0.2';
const target = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' };

type Headers = Readonly<Record<string, string | readonly string[]>>;

function send(
  port: number,
  headers: Headers,
  { from, agent }: { readonly from?: string; readonly agent?: Agent } = {},
) {
  return new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      headers: { host: 'web.test', ...headers } as never,
      agent: agent ?? false,
      ...(from !== undefined && { localAddress: from }),
    };
    httpRequest(options as never, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .once('error', reject)
      .end();
  });
}

test.before(async (t) => {
  const gateway = await startStandalone();
  all.teardown(() => gateway.stop());
  const api = { apiVersion: 'gatewright.dev/v1alpha1' };
  gateway.write(
    'world.yaml',
    ...(await gateway.backend('web')),
    routeObject('web', 'web.test', [{ backendRefs: [{ name: 'web', port: 80 }] }]),
    {
      ...api,
      kind: 'ListenerPolicy',
      metadata: { name: 'edge' },
      spec: { targetRefs: [target], clientIP: { trustedCIDRs: [`${proxyAt}/32`] } },
    },
    // The proxy's own checks of health come in.
    {
      ...api,
      kind: 'AccessPolicy',
      metadata: { name: 'edge' },
      spec: { targetRefs: [target], clientIPs: { allow: ['203.0.113.0/24', `${proxyAt}/32`] } },
    },
  );
  const agent = new Agent({ keepAlive: true, maxSockets: 2, localAddress: proxyAt } as never);
  all.teardown(() => agent.destroy());
  const front = createServer({ maxHeaderSize: 128 * 1024 }, ({ headers, socket }, response) => {
    const client = headers['x-test-client'] ?? socket.remoteAddress;
    const { 'x-test-client': _, ...rest } = headers;
    const forwarded = [rest['x-forwarded-for'], client].flatMap((entry) => entry ?? []).join(', ');
    send(gateway.port, { ...rest, 'x-forwarded-for': forwarded } as Headers, { agent }).then(
      ({ status, body }) => response.writeHead(status).end(body),
      () => response.writeHead(502).end(),
    );
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  all.teardown(() => front.close());
  t.context = { gateway, front: portOf(front) };
  await until('the policies to be in force', async () => {
    const [own, other] = [await send(gateway.port, {}, { from: proxyAt }), await send(gateway.port, {})];
    return own.status === 200 && other.status === 403;
  });
});

/** All that a client may write to look like another one. */
const forgeries: Readonly<Record<string, Headers>> = {
  nothing: {},
  'an allowed address': { 'x-forwarded-for': '203.0.113.7' },
  'the address of the proxy': { 'x-forwarded-for': proxyAt },
  'both, in turn': { 'x-forwarded-for': `203.0.113.7, ${proxyAt}` },
  'several lines': { 'x-forwarded-for': ['203.0.113.7', proxyAt, proxyAt] },
  'a list of 20': { 'x-forwarded-for': Array.from({ length: 20 }, () => proxyAt).join(',') },
  'a list of 21': { 'x-forwarded-for': Array.from({ length: 21 }, () => '203.0.113.7').join(',') },
  'a list of 3000': { 'x-forwarded-for': Array.from({ length: 3000 }, () => proxyAt).join(',') },
  'commas alone': { 'x-forwarded-for': ','.repeat(500) },
  'no address': { 'x-forwarded-for': 'unknown' },
  'half a list': { 'x-forwarded-for': '203.0.113.7, ' },
  'quotes and ends': { 'x-forwarded-for': '"203.0.113.7' },
  'other headers': {
    'x-real-ip': '203.0.113.7',
    forwarded: 'for=203.0.113.7',
    'true-client-ip': '203.0.113.7',
    'x-envoy-external-address': '203.0.113.7',
    'x-envoy-internal': 'true',
  },
};

test('no header gives a client another address, directly or through the proxy', async (t) => {
  const { gateway, front } = t.context;
  for (const [what, headers] of Object.entries(forgeries)) {
    t.is((await send(gateway.port, headers)).status, 403, `directly: ${what}`);
    t.is((await send(front, { ...headers, 'x-test-client': '198.51.100.9' })).status, 403, `by the proxy: ${what}`);
    t.is((await send(front, { ...headers, 'x-test-client': '203.0.113.9' })).status, 200, `who may come in: ${what}`);
  }
});

test('clients that share the connections of the proxy are separate, request by request', async (t) => {
  const { front } = t.context;
  const clients = Array.from({ length: 60 }, (_, index) => (index % 3 === 0 ? '198.51.100.9' : `203.0.113.${index}`));
  const answers = await Promise.all(
    clients.map(async (client) => (await send(front, { 'x-test-client': client })).status),
  );
  t.deepEqual(
    answers,
    clients.map((client) => (client.startsWith('198.') ? 403 : 200)),
  );
});

test('a known proxy says by which scheme and host it was asked', async (t) => {
  const { gateway } = t.context;
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'said.test', 'x-forwarded-for': '203.0.113.7' };
  const { body } = await send(gateway.port, headers, { from: proxyAt });
  t.regex(body, /said\.test/);
  t.regex(body, /"x-forwarded-proto":\s*"https"/);
});
