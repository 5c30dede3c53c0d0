import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import type { ErrorBody } from '../../src/admin/index.ts';
import { freePorts } from '../support/control-plane-process.ts';
import { fileFor, runProgram, sourceFile, startProgram } from '../support/program.ts';
import { request } from '../support/request.ts';
import { until } from '../support/until.ts';

/** An API server that has nothing, and holds back the list of one kind until it is released. */
async function stalling(t: ExecutionContext, plural: string) {
  const waiting: ServerResponse[] = [];
  let isReleased = false;
  const empty = (response: ServerResponse) =>
    response.end(JSON.stringify({ kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] }));
  const server: Server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '/', 'http://api');
    response.setHeader('content-type', 'application/json');
    if (incoming.method !== 'GET') response.writeHead(404).end('{}');
    else if (url.searchParams.has('watch')) response.flushHeaders();
    else if (url.pathname.endsWith(`/${plural}`) && !isReleased) waiting.push(response);
    else empty(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    release() {
      isReleased = true;
      for (const response of waiting) empty(response);
    },
  };
}

const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: 't' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });

const ofLists = [
  '/v1/routes',
  '/v1/listeners',
  '/v1/backends',
  '/v1/gateways',
  '/v1/certificates',
  '/v1/namespaces',
  '/v1/service-catalog',
  '/v1/topology',
  '/v1/routes/httproute/default/a',
];
const ofLists2 = ['/api/v1/routes', '/api/v1/gateways', '/api/v1/backends', '/api/v1/routes/default/a'];

test('before the first full list nothing is said to be empty: 503, with what it waits for and when to ask again', async (t) => {
  const api = await stalling(t, 'httproutes');
  const ports = await freePorts();
  const at = (port: number) => `127.0.0.1:${port}`;
  const config = fileFor(
    t,
    JSON.stringify({
      source: { kubernetes: { kubeconfig: fileFor(t, kubeconfigOf(api.url), 'kubeconfig') } },
      xds: { listen: at(ports.xds), insecure: true },
      admin: { listen: at(ports.admin), layout2Listen: at(ports.layout2) },
      metrics: { listen: at(ports.metrics) },
      infrastructure: { image: 'never-runs', serviceType: 'ClusterIP' },
      leaderElection: { enabled: false },
      log: { level: 'silent' },
    }),
  );
  // From the sources, as in a clone; most tests start a bundle of them.
  const control = startProgram(['control-plane', '--config', config], {}, { file: sourceFile });
  t.teardown(() => control.kill('SIGKILL'));
  const ask = (path: string, port = path.startsWith('/api/') ? ports.layout2 : ports.admin) =>
    request(`http://${at(port)}${path}`);
  const messageOf = async (path: string): Promise<string> =>
    ((await (await ask(path)).json()) as ErrorBody).error.message;
  // Every other kind is in.
  const message =
    'not ready: initial resource sync has not finished: waiting for the lists of HTTPRoute; try again in 2 s';
  await until('the other lists to be in', async () => (await messageOf('/v1/routes')) === message);

  for (const path of [...ofLists, ...ofLists2]) {
    const response = await ask(path);
    t.is(response.status, 503, path);
    t.is(response.headers.get('retry-after'), '2', path);
    t.deepEqual(await response.json(), { error: { code: 'not_ready', message } }, path);
  }
  t.is((await ask('/livez')).status, 200);
  t.is((await ask('/readyz')).status, 503);
  t.is((await ask('/healthz', ports.layout2)).status, 200);
  // What is known without the cluster's objects is reported.
  for (const path of [
    '/v1/nodes',
    '/v1/dataplanes',
    '/v1/resource-kinds',
    '/v1/summary',
    '/v1/replicas',
    '/api/v1/clients',
  ])
    t.is((await ask(path)).status, 200, path);
  const { code, stderr } = await runProgram(['get', 'routes', '--server', `http://${at(ports.admin)}`]);
  t.is(code, 2);
  t.is(stderr, `gatewright: ${message} (not_ready)\n`);

  api.release();
  await until('the control plane to be ready', async () => (await ask('/readyz')).status === 200);
  for (const path of ['/v1/routes', '/api/v1/routes']) t.deepEqual(await (await ask(path)).json(), []);
  t.is((await ask('/v1/routes/httproute/default/a')).status, 404);
});
