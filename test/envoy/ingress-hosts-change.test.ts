import test, { type ExecutionContext } from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { loadConfig } from '../../src/config/index.ts';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { edgeGateway, ownClass, servedIngress } from '../support/native-ingresses.ts';
import { pause } from '../support/pace.ts';
import { isCurrent, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

/** Ingresses come and go while clients ask for a host that one of them serves at every moment. */

const host = 'a.w.test';
const gatewayClass = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GatewayClass',
  metadata: { name: 'gatewright' },
  spec: { controllerName: 'gatewright.dev/gateway-controller' },
};

/** Backends of Services `exact` and `wide` in `shop` and of `exact` in `other`, which name themselves, and a Gateway for Ingresses. */
async function start(t: ExecutionContext, files: Readonly<Record<string, KubernetesObject>>) {
  const services: object[] = [];
  for (const [namespace, name] of [
    ['shop', 'exact'],
    ['shop', 'wide'],
    ['other', 'exact'],
  ] as const) {
    const { port } = await startBackend(t, (_, response) => response.end(`${namespace}/${name}`));
    for (const object of serviceObjects(name, [port])) {
      const { metadata } = object as { readonly metadata: object };
      services.push({ ...object, metadata: { ...metadata, namespace } });
    }
  }
  const port = await freePort();
  const gateway = edgeGateway();
  const { spec } = gateway as unknown as { readonly spec: { readonly listeners: readonly object[] } };
  const listeners = spec.listeners.map((each) => ({ ...each, port }));
  const run = await startStandalone(
    {
      'gateway.yaml': [gatewayClass, ownClass(), { ...gateway, spec: { ...spec, listeners } }],
      'services.yaml': services,
      ...Object.fromEntries(Object.entries(files).map(([file, object]) => [file, [object]])),
    },
    { config: { ingress: { ...loadConfig(undefined, {}).ingress, enabled: true } } },
  );
  t.teardown(run.stop);
  await until('all of it to be applied', () => isCurrent(run));
  return { run, port };
}

/** Clients that ask all the time, until `end`, which gives what they were answered, each answer once. */
function startClients(port: number) {
  const answers = new Set<string>();
  let isOver = false;
  const clients = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const { status, body } = await send(port, { host });
      answers.add(`${status} ${body}`);
      await pause();
    }
  });
  return async () => {
    isOver = true;
    await Promise.all(clients);
    return [...answers].sort();
  };
}

const answeredBy = (port: number, service: string) =>
  untilFits(
    `an answer of ${service}`,
    () => send(port, { host }),
    ({ body }) => body === service,
  );

test('a host with an Ingress of its own below a wildcard is answered by one or the other while they come and go', async (t) => {
  const wide = servedIngress('wide', { host: '*.w.test', service: 'wide' });
  const exact = servedIngress('exact', { host, service: 'exact' });
  const { run, port } = await start(t, { 'wide.yaml': wide, 'exact.yaml': exact });
  const end = startClients(port);
  run.remove('exact.yaml');
  await answeredBy(port, 'shop/wide');
  run.write('exact.yaml', exact);
  await answeredBy(port, 'shop/exact');
  const built = () => run.control.graph.snapshot()?.id;
  for (const change of [() => run.remove('wide.yaml'), () => run.write('wide.yaml', wide)]) {
    const before = built();
    change();
    await until('the proxy to have it', () => built() !== before && isCurrent(run));
    t.is((await send(port, { host })).body, 'shop/exact');
  }
  t.deepEqual(await end(), ['200 shop/exact', '200 shop/wide']);
});

test('a host that goes to the Ingress of another namespace, and back, is answered at every moment', async (t) => {
  const first = servedIngress('exact', { host, service: 'exact' });
  const second = servedIngress('exact', {
    host,
    service: 'exact',
    namespace: 'other',
    created: '2026-01-02T00:00:00Z',
  });
  const { run, port } = await start(t, { 'first.yaml': first, 'second.yaml': second });
  await answeredBy(port, 'shop/exact');
  const end = startClients(port);
  run.remove('first.yaml');
  await answeredBy(port, 'other/exact');
  run.write('first.yaml', first);
  await answeredBy(port, 'shop/exact');
  t.deepEqual(await end(), ['200 other/exact', '200 shop/exact']);
});
