import test, { type ExecutionContext } from 'ava';
import { otherEnvoyPath, versions } from '../../scripts/paths.mjs';
import { ask, startAgent } from '../support/agent-world.ts';
import { startEnvoy, xdsBootstrap } from '../support/envoy.ts';
import { logLines } from '../support/log-lines.ts';
import { every } from '../support/repetitions.ts';
import { routeObject, type Standalone, startStandalone } from '../support/standalone.ts';
import { until, untilFits } from '../support/until.ts';

// Envoys of other releases at a gateway whose own proxy, an Envoy of ours, is to go on as before.

const others = [versions.ENVOY_MINOR_BEFORE, versions.ENVOY_OLD];
const minorOf = (version: string): string => version.replace(/\.\d+$/, '');

async function world(t: ExecutionContext) {
  const gateway = await startStandalone();
  t.teardown(() => gateway.stop());
  gateway.write('web.yaml', ...(await gateway.backend('web')));
  const untilChanged = async (name: string): Promise<void> => {
    gateway.write(`${name}.yaml`, routeObject(name, `${name}.test`, [{ backendRefs: [{ name: 'web', port: 80 }] }]));
    await until(`${name}.test to be served`, async () => (await gateway.get(`${name}.test`)).status === 200);
  };
  await untilChanged('before');
  return { gateway, untilChanged };
}

const rejections = ({ log }: Standalone) => log.filter(({ reason }) => reason === 'unsupported_version');

for (const version of every(2, others)) {
  test(`a stock Envoy ${minorOf(version)} hears at once that it is not supported, and takes nothing from ours`, async (t) => {
    const { gateway, untilChanged } = await world(t);
    const begun = Date.now();
    const envoy = await startEnvoy({
      bootstrap: xdsBootstrap({
        xds: gateway.control.ports.xds,
        nodeId: 'older',
        cluster: 'default/edge',
        likeAgents: true,
      }),
      path: otherEnvoyPath(version),
    });
    t.teardown(() => envoy.stop());
    const [line] = await untilFits(
      'the rejection',
      () => rejections(gateway),
      (found) => found.length > 0,
    );
    t.regex(String(line?.details), new RegExp(`^Envoy ${minorOf(version)} is not supported: .* Envoy 1\\.40`));
    await untilChanged('after');
    t.is((await gateway.get('before.test')).status, 200);
    t.is(
      gateway.log.filter(({ msg }) => /rejected \(NACK\)|Envoy rejected the configuration/.test(String(msg))).length,
      0,
    );
    t.is(gateway.control.xds.nodes.find('older'), undefined, 'it is no node');
    // Envoy writes the percent encoding of gRPC as it is.
    const words = new RegExp(`closed: 9, Envoy%20${minorOf(version)}%20is%20not%20supported`);
    t.true(await until('its words', () => words.test(envoy.log())));
    const minutes = Math.floor((Date.now() - begun) / 60_000);
    t.true(rejections(gateway).length <= 2 + minutes, 'a line a minute, however often it comes back');
  });
}

test('an agent whose Envoy is not supported says so in its log and its readiness', async (t) => {
  const { gateway, untilChanged } = await world(t);
  const { logger, find } = logLines();
  const agent = await startAgent(t, `127.0.0.1:${gateway.control.ports.xds}`, {
    nodeId: 'older',
    cluster: 'default/edge',
    envoyPath: otherEnvoyPath(versions.ENVOY_MINOR_BEFORE),
    logger,
  });
  const { status, body } = await untilFits(
    'readiness',
    () => ask(agent.adminPort, '/readyz'),
    (answer) => answer.body.includes('not supported'),
  );
  t.is(status, 503);
  t.regex(body, /no configuration is applied yet/);
  t.regex(body, /warning: the control plane rejects this data plane: Envoy 1\.39 is not supported/);
  t.true(find(/the control plane rejects this data plane.*Envoy 1\.39 is not supported/).length > 0);
  await untilChanged('after');
});
