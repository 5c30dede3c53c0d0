import test from 'ava';
import { freePort } from '../../scripts/free-port.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { gateway, gatewayClass, httpRoute, ownObject, xObject } from '../support/objects.ts';
import { TwoProcesses } from '../support/two-processes.ts';
import { until } from '../support/until.ts';

// Envoy takes no cluster as ready before each of its endpoints was checked once, answers no control plane meanwhile, and opens no listener after a
// start. A tenant has its own endpoints checked as late as a policy can say.

const allowed = { allowedAddresses: ['127.0.0.1/32'] };

const routeOf = (name: string, service: string) =>
  httpRoute(name, { hostnames: [`${name}.test`], rules: [{ backendRefs: [{ name: service, port: 80 }] }] });

const xGroup = 'gateway.networking.x-k8s.io';

/** A backend that is found by its name, with a route to it. */
const named = (port: number) => [
  xObject('XBackend', 'named', {
    type: 'ExternalHostname',
    externalHostname: { hostname: 'localhost' },
    port: { number: port },
  }),
  httpRoute('named', {
    hostnames: ['named.test'],
    rules: [{ backendRefs: [{ group: xGroup, kind: 'XBackend', name: 'named' }] }],
  }),
];

const checked = (path: string) =>
  ownObject('BackendPolicy', 'slow', {
    targetRefs: [
      { group: '', kind: 'Service', name: 'slow' },
      { group: xGroup, kind: 'XBackend', name: 'named' },
    ],
    healthCheck: { active: { initialJitter: '1h', interval: '1h', http: { path } } },
  });

/** Clusters for which Envoy waits. */
async function warming(both: TwoProcesses): Promise<number> {
  return Number(/^envoy_cluster_manager_warming_clusters\S* (\d+)$/m.exec(await both.scrapeDataPlane())?.[1]);
}

test('endpoints that are checked after an hour hold up no change of others, and no start', async (t) => {
  t.timeout(600_000);
  const backend = await startBackend(t);
  const port = await freePort();
  const both = await TwoProcesses.start(t, {
    files: {
      'edge.yaml': [gatewayClass(), gateway('edge', [{ port }])],
      'victim.yaml': [...serviceObjects('web', [backend.port]), routeOf('victim', 'web')],
    },
    controlPlane: { backends: allowed },
    dataPlane: { backends: allowed },
  });
  await both.startDataPlane(t, 'one');
  const answers = (name: string) =>
    until(`200 from ${name}`, async () => {
      const answer = await send(port, { host: `${name}.test` }).catch(() => undefined);
      return answer?.status === 200;
    });
  await answers('victim');

  const theirs = [...serviceObjects('slow', [backend.port]), routeOf('slow', 'slow'), ...named(backend.port)];
  both.write('tenant.yaml', ...theirs, checked('/'));
  // Behind the tenant's in any case, for its cluster has come before.
  await until('the cluster to wait', async () => (await warming(both)) === 1);
  both.write('new.yaml', ...serviceObjects('new', [backend.port]), routeOf('new', 'new'));
  await answers('new');
  await answers('slow');
  await answers('named');

  both.write('tenant.yaml', ...theirs, checked('/changed'));
  await until('the changed cluster to wait', async () => (await warming(both)) === 1);
  await until('the changed cluster not to wait', async () => {
    t.is((await send(port, { host: 'victim.test' })).status, 200);
    return (await warming(both)) === 0;
  });

  process.kill(await both.envoyPid(), 'SIGKILL');
  await answers('victim');
  await answers('slow');
  await answers('named');
  t.pass();
});
