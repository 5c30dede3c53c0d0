import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import test from 'ava';
import { OpenAPIClientAxios } from 'openapi-client-axios';
import { parse } from 'yaml';
import { operations } from '../../src/app/addons/operations.ts';
import { agentToken } from '../support/agent-world.ts';
import { isCurrent, routeObject, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/*
 * A client that knows nothing but docs/openapi.yaml drives a running control plane and an agent. So a client generated from the description
 * can use all of the API.
 */

const description = readFileSync(new URL('../../docs/openapi.yaml', import.meta.url), 'utf8');
const rule = [{ backendRefs: [{ name: 'web', port: 80 }] }];
const object = (host: string) => ({
  ...routeObject('made', host, rule),
  metadata: { name: 'made', namespace: 'default' },
});
const place = { kind: 'HTTPRoute', namespace: 'default', name: 'made' };

test('a client made from the description drives everything', async (t) => {
  const standalone = await startStandalone();
  t.teardown(() => standalone.stop());
  standalone.write('backends.yaml', ...(await standalone.backend('web')));
  await untilFits('the data plane to be current', () => isCurrent(standalone), Boolean);
  const { layout1, layout2 } = standalone.control.ports;
  const ports: Readonly<Record<string, number>> = { 18081: layout1, 8081: layout2, 8082: standalone.agentPort };
  const placed = description.replaceAll(/127\.0\.0\.1:(\d+)/g, (_, port: string) => `127.0.0.1:${ports[port]}`);
  const api = new OpenAPIClientAxios({ definition: parse(placed) });
  const client = await api.init();
  // A kept connection may just be closed by its server.
  client.defaults.httpAgent = new Agent({ keepAlive: false });
  // The agent asks for it; the others take no notice.
  client.defaults.headers.common.Authorization = `Bearer ${agentToken}`;
  const known = new Set(api.getOperations().map(({ operationId }) => operationId));
  t.is(known.size, operations.length, 'every operation has a name of its own');
  const call = async <T extends object>(id: string, parameters: object = {}, body?: object): Promise<T> => {
    t.true(known.has(id), `${id} is not among ${[...known]}`);
    const operation = client[id] as (...args: unknown[]) => Promise<{ data: T; status: number }>;
    const { data, status } = await operation(parameters, body, { validateStatus: () => true });
    t.true(status === 200 || status === 201, `${id}: ${status} ${JSON.stringify(data)}`);
    return data;
  };

  t.like(await call('postV1Resources', {}, object('made.test')), { kind: 'HTTPRoute', name: 'made' });
  await untilFits(
    'the route to be served',
    () => standalone.get('made.test'),
    ({ status }) => status === 200,
  );
  t.like(await call('getV1RoutesKindNamespaceName', { ...place, kind: 'httproute' }), { accepted: true });
  t.like(await call('postV1RouteTest', {}, { host: 'made.test', path: '/', port: standalone.port }), {
    outcome: 'forward',
  });
  t.like(await call('postV1Diff', {}, { apiVersion: 'v1', kind: 'List', items: [object('made.test')] }), {
    envoy: [],
    statuses: [],
  });
  t.is((await call<object[]>('getV1Routes', { namespace: 'default', limit: '1' })).length, 1);
  t.like(await call('getApiV1ConfigSnapshotVersion'), { gateways: 1, routes: 1 });
  const nodeId = (await call<{ node_id: string }[]>('getApiV1Clients'))[0]?.node_id ?? '';
  t.like(await call('getV1NodesNodeId', { nodeId }), { connected: true });
  t.like(await call('getApiV1Status'), { ready: true, node_id: nodeId });

  t.like(await call('putV1ResourcesKindNamespaceName', place, object('moved.test')), { generation: 2 });
  await untilFits(
    'the moved route',
    () => standalone.get('moved.test'),
    ({ status }) => status === 200,
  );
  await call('getV1Access', { route: 'HTTPRoute/default/made' });
  await call('deleteV1ResourcesKindNamespaceName', place);
  await untilFits(
    'the route to be gone',
    () => standalone.get('moved.test'),
    ({ status }) => status === 404,
  );
  // Whatever else only reads, needs no name (access is asked by route) and comes to an end.
  const without = api
    .getOperations()
    .filter(({ method, parameters = [], responses }) => {
      const isNamed = parameters.some((parameter) => 'in' in parameter && parameter.in === 'path');
      const isEndless = JSON.stringify(responses).includes('text/event-stream');
      return method === 'get' && !isNamed && !isEndless && !('501' in (responses ?? {}));
    })
    .map(({ operationId = '' }) => operationId)
    .filter((id) => id !== 'getV1Access');
  t.true(without.length > 25, `${without}`);
  for (const id of without) await call(id, id === 'getV1Snapshot' ? { format: 'ir' } : {});
});
