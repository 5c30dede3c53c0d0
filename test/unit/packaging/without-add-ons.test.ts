import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { stringify } from 'yaml';
import { modulesOf } from '../../../scripts/bundle.ts';
import { freePort } from '../../../scripts/free-port.ts';
import { root } from '../../../scripts/paths.mjs';
import { typeUrls } from '../../../src/envoy/index.ts';
import { DeltaClient } from '../../support/grpc.ts';
import { startProgram } from '../../support/program.ts';
import { request } from '../../support/request.ts';
import { gatewayObjects, routeObject } from '../../support/standalone.ts';
import { until } from '../../support/until.ts';
import { filesFor } from '../../support/xds-tls.ts';

test('a program that is handed no add-on has none, and serves xDS and the admin API', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-without-add-ons-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const file = 'test/support/program-without-add-ons.ts';
  const sources = await modulesOf(file);
  t.true(sources.includes('src/app/control-plane/core.ts'), 'what is looked at is the program');
  t.deepEqual(
    sources.filter((path) => /^src\/(?:app\/)?addons\//.test(path)),
    [],
  );

  const [xds, admin] = [await freePort(), await freePort()];
  const anywhere = '127.0.0.1:0';
  const write = filesFor(t);
  const resources = filesFor(t);
  const redirect = { type: 'RequestRedirect', requestRedirect: { hostname: 'moved.test', statusCode: 302 } };
  const objects = [...gatewayObjects(8080), routeObject('moved', 'a.test', [{ filters: [redirect] }])];
  const config = {
    source: { directory: join(resources('all.yaml', objects.map((each) => stringify(each)).join('---\n')), '..') },
    state: { directory },
    xds: { listen: `127.0.0.1:${xds}` },
    admin: { listen: `127.0.0.1:${admin}`, layout2Listen: anywhere },
    metrics: { listen: anywhere },
  };
  const program = startProgram(
    ['control-plane', '--config', write('config.yaml', stringify(config))],
    {},
    { file: join(root, file) },
  );
  t.teardown(async () => {
    program.kill('SIGTERM');
    await program.ended;
  });
  const get = (path: string) => request(`http://127.0.0.1:${admin}${path}`);
  await until('readiness', async () => (await get('/readyz').catch(() => undefined))?.status === 200);

  const routes = (await (await get('/v1/routes')).json()) as readonly { readonly accepted: boolean }[];
  t.deepEqual(
    routes.map(({ accepted }) => accepted),
    [true],
  );
  t.is((await get('/v1/ai/overview')).status, 501);

  const proxy = new DeltaClient({ target: xds, nodeId: 'edge-1', cluster: 'default/edge', metadata: {} });
  t.teardown(() => proxy.close());
  proxy.send({ typeUrl: typeUrls.listener, resourceNamesSubscribe: ['*'] });
  const { resources: listeners } = await proxy.receive();
  t.is(listeners.length, 1);
});
