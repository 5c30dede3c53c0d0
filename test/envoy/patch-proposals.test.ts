import http from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { stringify } from 'yaml';
import type { ProposalReport } from '../../src/admin/validate/record.ts';
import { serviceObjects, startBackend } from '../support/http.ts';
import { isCurrent, routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/* Proposed EnvoyPatches are tried by proxies that are connected, and served by none. */

const patch = (cluster: object) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'EnvoyPatch',
  metadata: { name: 'own', namespace: 'default' },
  spec: { targetRefs: [{ group: '', kind: 'Service', name: 'web' }], cluster },
});

const good = patch({ connect_timeout: '3s' });
const bad = patch({ outlier_detection: { base_ejection_time: '10s', max_ejection_time: '1s' } });

async function start(t: ExecutionContext) {
  const backend = await startBackend(t, (_, response) => response.end('ok'));
  const world = await startStandalone(
    {
      'web.yaml': serviceObjects('web', [backend.port]),
      'routes.yaml': [routeObject('web', 'a.test', [{ backendRefs: [{ name: 'web', port: 80 }] }])],
    },
    { config: { envoyPatches: { enabled: true } } },
  );
  t.teardown(world.stop);
  await untilFits('all of it to be applied', () => isCurrent(world), Boolean);
  return world;
}

/** Trials give way to all others, so on a busy machine they get little of a processor. */
function proposed({ control }: Standalone, object: object): Promise<ProposalReport> {
  return new Promise((resolve, reject) => {
    const url = `http://127.0.0.1:${control.ports.layout1}/v1/validate?trialSeconds=120`;
    const sent = http.request(url, { method: 'POST', headers: { 'content-type': 'application/yaml' } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => resolve(JSON.parse(text) as ProposalReport));
    });
    sent.once('error', reject);
    sent.end(stringify(object));
  });
}

test('a proposed patch is tried by a proxy of each version, and no Envoy that serves gets it', async (t) => {
  t.timeout(500_000);
  const world = await start(t);
  const before = world.control.graph.snapshot()?.id;
  const rejected = await proposed(world, bad);
  t.false(rejected.valid);
  t.like(rejected.trials[0], { policy: 'default/own', gateway: 'default/edge', verdict: 'rejected' });
  t.regex(
    rejected.errors[0] ?? '',
    /^EnvoyPatch default\/own: Envoy 1\.40\.\d+ of proxy \S+ would reject it: .*max_ejection_time cannot be smaller/,
  );
  const valid = await proposed(world, good);
  t.true(valid.valid);
  t.deepEqual(valid.errors, []);
  t.deepEqual(
    valid.trials.map(({ verdict, message }) => ({ verdict, message })),
    [{ verdict: 'valid', message: '' }],
  );
  const [node] = world.control.xds.nodes.list();
  t.like(node, { refusalCount: 0, trials: [], lastNackType: undefined });
  t.is(world.control.graph.snapshot()?.id, before);
});

test('a proposed patch of nothing that proxies have says so', async (t) => {
  t.timeout(500_000);
  const world = await start(t);
  // Nothing of it is for a backend that is in use.
  const idle = await proposed(world, {
    ...good,
    spec: { ...good.spec, targetRefs: [{ group: '', kind: 'Service', name: 'none' }] },
  });
  t.like(idle.trials, [{ policy: 'default/own', nodeId: null, verdict: 'untried' }]);
  t.deepEqual(idle.warnings, ['EnvoyPatch default/own: not tried: it changes nothing that proxies have']);
});
