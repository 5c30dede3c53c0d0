import { chmodSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { otherEnvoyPath, versions } from '../../scripts/paths.mjs';
import type { PolicyStatus } from '../../src/gateway-api/index.ts';
import { startAgent } from '../support/agent-world.ts';
import { runCommand } from '../support/command.ts';
import { envoyPath } from '../support/envoy.ts';
import { send, serviceObjects, startBackend } from '../support/http.ts';
import { gatewayWithDataPlane, isCurrent, routeObject, startStandalone } from '../support/standalone.ts';
import { untilFits } from '../support/until.ts';

/* Proxies of one fleet whose Envoys take different patches. */

const patch = (cluster: object) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'EnvoyPatch',
  metadata: { name: 'own' },
  spec: { targetRefs: [{ group: '', kind: 'Service', name: 'web' }], cluster },
});

/** Envoy 1.36 does not know the field, Envoy 1.40 does. */
const recent = patch({ per_connection_buffer_high_watermark_timeout: '30s' });

/** A program that has an old Envoy try resources, and ours serve, until it is replaced by ours alone. */
function oldTrier(t: ExecutionContext) {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-versions-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'envoy');
  const write = (script: string) => {
    writeFileSync(`${path}.new`, `#!/bin/sh\n${script}\n`);
    chmodSync(`${path}.new`, 0o755);
    renameSync(`${path}.new`, path);
  };
  const ours = `exec '${envoyPath()}' "$@"`;
  write(`case "$*" in *trial.pb*) exec '${otherEnvoyPath(versions.ENVOY_OLD)}' "$@";; esac\n${ours}`);
  return { path, upgrade: () => write(ours) };
}

test('a patch that one of two Envoys rejects is held back from that one alone, and tried again when it is upgraded', async (t) => {
  t.timeout(540_000);
  const backend = await startBackend(t, (_, response) => response.end('ok'));
  const world = await startStandalone(
    {
      'web.yaml': serviceObjects('web', [backend.port]),
      'routes.yaml': [routeObject('web', 'a.test', [{ backendRefs: [{ name: 'web', port: 80 }] }])],
    },
    { config: { envoyPatches: { enabled: true } } },
  );
  t.teardown(world.stop);
  const { control, port, write } = world;
  write('gateway.yaml', ...gatewayWithDataPlane(port, { reusePort: true }));
  await untilFits('all of it to be applied', () => isCurrent(world), Boolean);
  const { path, upgrade } = oldTrier(t);
  const old = await startAgent(t, `127.0.0.1:${control.ports.xds}`, {
    nodeId: 'old',
    cluster: 'default/edge',
    envoyPath: path,
    reusePort: true,
    watchdog: { intervalMs: 200, patienceMs: 60_000 },
  });
  const view = () => control.xds.nodes.find('old');
  await untilFits('the second proxy', view, (node) => node?.ready === true);

  write('patch.yaml', recent);
  const held = await untilFits('the patch to be held back', view, (node) => (node?.refusals.length ?? 0) > 0);
  t.like(held?.refusals[0], { kind: 'patch' });
  t.regex(held?.refusals[0]?.message ?? '', /unknown fields|per_connection_buffer_high_watermark_timeout/);
  t.is(held?.lastNackType, undefined, 'the Envoy that serves was not asked');
  const accepted = () =>
    (control.graph.statusOf('EnvoyPatch', 'default/own') as PolicyStatus | undefined)?.ancestors[0]?.conditions.find(
      ({ type }) => type === 'Accepted',
    );
  t.is(accepted()?.status, 'True', 'the other proxy has it');
  const nodes = await runCommand(['nodes'], { GATEWRIGHT_SERVER: `http://127.0.0.1:${control.ports.layout1}` });
  t.regex(nodes.stdout, /^old .*rejects patch default\/own\S*, held back from this one alone: /m);
  const local = control.xds.nodes.list().find(({ nodeId }) => nodeId !== 'old');
  t.is(local?.refusalCount, 0);
  t.is((await send(port, { host: 'a.test' })).status, 200);

  const before = old.envoyPid;
  upgrade();
  const after = await untilFits(
    'the patch to be taken',
    view,
    (node) => node?.ready === true && node.refusalCount === 0,
  );
  t.not(old.envoyPid, before);
  t.deepEqual(after?.trials, []);
  await untilFits('both to be current', () => isCurrent(world), Boolean);
  t.is(accepted()?.status, 'True');
  t.is((await send(port, { host: 'a.test' })).status, 200);
});
