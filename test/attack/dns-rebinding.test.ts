import anyTest, { type TestFn } from 'ava';
import { type Config, loadConfig, SecretText } from '../../src/config/index.ts';
import { endings } from '../support/endings.ts';
import { exchange, rawRequest } from '../support/raw-http.ts';
import { type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

// A page of another site whose name leads to this machine (DNS rebinding), in the browser of a person who runs the gateway here.

interface World {
  /** Nothing is configured. */
  readonly open: Standalone;
  /** A token is configured. */
  readonly closed: Standalone;
}

const test = anyTest as TestFn<World>;
const all = endings(test);
const token = 'operator-token-0123456789';

test.before(async (t) => {
  const start = async (config: Partial<Config> = {}): Promise<Standalone> => {
    const gateway = await startStandalone({}, { config });
    all.teardown(() => gateway.stop());
    const ready = () => exchange(gateway.agentPort, rawRequest('/readyz', ['Host: 127.0.0.1']));
    await untilFits('the agent to be ready', ready, ({ status }) => status === 200);
    return gateway;
  };
  const adminAuth = { ...loadConfig(undefined, {}).adminAuth, bearerToken: new SecretText(token) };
  t.context = { open: await start(), closed: await start({ adminAuth }) };
});

/** Title, its port, a path that shows something, and the paths of its probes. */
const faces: readonly (readonly [string, (gateway: Standalone) => number, string, readonly string[]])[] = [
  ['Layout 1', ({ control }) => control.ports.layout1, '/v1/summary', ['/livez', '/readyz']],
  ['Layout 2', ({ control }) => control.ports.layout2, '/api/v1/gateways', ['/healthz', '/readyz']],
  ['metrics', ({ control }) => control.ports.metrics, '/metrics', []],
  ['the agent', ({ agentPort }) => agentPort, '/api/v1/metrics', ['/healthz', '/readyz']],
];

const foreign = [
  'evil.example',
  'evil.example:8080',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'x@evil.example',
];
const ours = ['127.0.0.1', '127.0.0.1:18081', '[::1]:1', 'localhost', 'LOCALHOST:8', '10.1.2.3:8082', 'gw.ns.svc'];

for (const [title, portOf, path, probes] of faces) {
  test(`${title} shows a page that came by a foreign name nothing, whatever it asks with`, async (t) => {
    const port = portOf(t.context.open);
    for (const host of foreign) {
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
        const { status, rest } = await exchange(port, rawRequest(path, [`Host: ${host}`], { method }));
        t.is(status, 403, `${method} ${host}`);
        t.notRegex(rest, /gatewright|edge/);
      }
    }
    for (const host of ours) t.is((await exchange(port, rawRequest(path, [`Host: ${host}`]))).status, 200, host);
  });

  test(`${title} looks at a target that is a whole URL too, and takes no second Host`, async (t) => {
    const port = portOf(t.context.open);
    const ask = async (target: string, ...headers: string[]) =>
      (await exchange(port, rawRequest(target, headers))).status;
    t.is(await ask(`http://evil.example${path}`, 'Host: localhost'), 403);
    t.is(await ask(`http://localhost${path}`, 'Host: evil.example'), 403);
    t.is(await ask(`http://localhost@evil.example${path}`, 'Host: localhost'), 403);
    t.is(await ask(`http://localhost${path}`, 'Host: localhost'), 200);
    t.is(await ask(path, 'Host: localhost', 'Host: evil.example'), 400);
    t.is(await ask(path, 'Host: evil.example', 'Host: localhost'), 400);
    t.is(await ask(path, 'Host: localhost', 'host: localhost'), 400);
  });

  test(`${title} with a token configured shows such a page nothing either, and a client with the token all`, async (t) => {
    const port = portOf(t.context.closed);
    const ask = async (...headers: string[]) => (await exchange(port, rawRequest(path, headers))).status;
    t.true([401, 403].includes(await ask('Host: evil.example')));
    t.true([401, 403].includes(await ask('Host: evil.example', 'Authorization: Bearer wrong')));
    if (path.endsWith('/metrics')) return;
    t.is(await ask('Host: localhost'), 401);
    t.is(await ask('Host: gateway.example', `Authorization: Bearer ${token}`), 200);
  });

  for (const probe of probes) {
    test(`${title} answers ${probe} by any Host and without a token`, async (t) => {
      for (const gateway of [t.context.open, t.context.closed]) {
        for (const method of ['GET', 'HEAD']) {
          for (const host of [...foreign, ...ours]) {
            const ask = () => exchange(portOf(gateway), rawRequest(probe, [`Host: ${host}`], { method }));
            // An agent whose Envoy is too late to say how it is, on a busy machine, answers 503.
            const { status } = await untilFits(probe, ask, (answer) => answer.status !== 503);
            t.is(status, 200, `${method} ${host}`);
          }
        }
      }
    });
  }
}
