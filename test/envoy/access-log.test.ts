import test, { type ExecutionContext } from 'ava';
import { kindModules } from '../../src/controllers/index.ts';
import type { DataPlaneSpec } from '../../src/gateway-api/index.ts';
import { Graph } from '../../src/graph/index.ts';
import * as ir from '../../src/ir/index.ts';
import { Translator } from '../../src/translate/index.ts';
import { startEnvoy, xdsBootstrap } from '../support/envoy.ts';
import { send } from '../support/http.ts';
import { controllerName, dataPlane, dataPlaneRef, gateway, gatewayClass } from '../support/objects.ts';
import { until } from '../support/until.ts';
import { put, someTime } from '../support/world.ts';
import { publisher, startXds } from '../support/xds.ts';

type AccessLog = NonNullable<DataPlaneSpec['accessLog']>;

/** What Envoy writes for a request that finds no route. */
async function lineFor(t: ExecutionContext, accessLog: AccessLog): Promise<Record<string, unknown>> {
  t.timeout(240_000);
  const graph = new Graph({ controllerName, kinds: kindModules, bind: () => ({ address: '127.0.0.1', port: 0 }) });
  put(graph, gatewayClass(), dataPlane('logged', { accessLog }));
  put(graph, gateway('gw', [{}], { infrastructure: { parametersRef: dataPlaneRef('logged') } }));
  const { snapshot } = graph.build(someTime);
  const upserts = [...new Translator().translate(snapshot, ir.allChanges(snapshot))].flatMap(
    (change) => change.upserts,
  );
  const { server, port } = await startXds(t);
  publisher(server, 'default/gw')({ upserts });
  const envoy = await startEnvoy({ bootstrap: xdsBootstrap({ xds: port, nodeId: 'logged', cluster: 'default/gw' }) });
  t.teardown(() => envoy.stop());
  const listener = await until('a listener', async () => (await envoy.listeners())[0]);
  const request = { host: 'shop.test', path: '/basket?card=1', headers: { 'x-tenant': 'seven' } };
  await until('an answer', () => send(listener.port, request));
  const line = await until('the line', () =>
    envoy
      .log()
      .split('\n')
      .find((text) => text.startsWith('{') && text.endsWith('}')),
  );
  return JSON.parse(line);
}

test('a request is a line of JSON, with the path but not what is asked of it', async (t) => {
  const line = await lineFor(t, { enabled: true });
  t.like(line, {
    method: 'GET',
    authority: 'shop.test',
    path: '/basket',
    protocol: 'HTTP/1.1',
    response_code: 404,
  });
  t.regex(String(line.downstream_remote_address), /^127\.0\.0\.1:\d+$/);
  t.is(typeof line.duration, 'number');
  t.is(Object.keys(line).length, 20);
});

test('fields are chosen, headers are added', async (t) => {
  const accessLog: AccessLog = {
    enabled: true,
    fields: ['response_code'],
    requestHeaders: ['X-Tenant', 'x-none'],
    responseHeaders: ['date'],
  };
  const { response_headers: answered, ...line } = await lineFor(t, accessLog);
  t.deepEqual(line, { response_code: 404, request_headers: { 'x-tenant': 'seven', 'x-none': null } });
  t.deepEqual(Object.keys(answered as object), ['date']);
});
