import test from 'ava';
import type { Condition } from '../../src/gateway-api/index.ts';
import { startBackend } from '../support/http.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, listener, ownObject, service } from '../support/objects.ts';
import { PoisonWorld } from '../support/poison-world.ts';
import { untilFits } from '../support/until.ts';

/** Access policies of which only Envoy knows that they are bad: each closes what it is for, and says so. */

const edge = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' };
/** Too large for Envoy, and not for our own check. No request has such a path. */
const badRule = { name: 'bad', action: 'Allow', when: { paths: [{ regex: '/.{1000}' }] } };
const policy = (target: object, rules: readonly object[] = []) =>
  ownObject('AccessPolicy', 'guard', { targetRefs: [target], authorization: { default: 'Allow', rules } });

for (const [what, target] of [
  ['Gateway', edge],
  ['listener', { ...edge, sectionName: 'http' }],
] as const) {
  test(`what Envoy rejects of the access policy of a ${what} closes its hosts, and the policy says so until it is changed`, async (t) => {
    const backend = await startBackend(t, (_, response) => response.writeHead(200, { connection: 'close' }).end('ok'));
    const world = await PoisonWorld.start(t, {}, [80, 81]);
    const isOfAll = target === edge;
    world.put(
      gatewayClass(),
      gateway('edge', [listener({ name: 'http', port: 80 }), listener({ name: 'other', port: 81 })]),
      service('web', [80]),
      endpointSlice('web', ['127.0.0.1'], { port: backend.port }),
      httpRoute('shop', { hostnames: ['shop.test'], rules: [{ backendRefs: [{ name: 'web', port: 80 }] }] }),
      policy(target),
    );
    await world.startEnvoy('one');
    await world.answers('shop.test', '/');
    const condition = (type: string): Condition | undefined => {
      const status = world.graph.statusOf('AccessPolicy', 'default/guard');
      return status && 'ancestors' in status
        ? status.ancestors[0]?.conditions.find((each) => each.type === type)
        : undefined;
    };
    const statusAt = (port: number) => world.ask('shop.test', '/', port).then(({ status }) => status);
    const becomes = (port: number, status: number) =>
      untilFits(
        `port ${port} to answer ${status}`,
        () => statusAt(port),
        (found) => found === status,
      );
    await becomes(81, 200);
    t.is(condition('Accepted')?.status, 'True');

    world.put(policy(target, [badRule]));
    await becomes(80, 500);
    const said = await world.awaits('the policy to say it', () => condition('Accepted'), 'False');
    t.is(said.reason, 'Invalid');
    t.regex(
      said.message,
      /^what is demanded of requests to its targets is rejected by the proxy, and requests that it is for are answered 500 until it is changed: .*regex/,
    );
    if (isOfAll) await becomes(81, 500);
    else t.is(await statusAt(81), 200, 'the other listener goes on');

    world.put(policy(target));
    await becomes(80, 200);
    await world.awaits('the policy to be well', () => condition('Accepted'), 'True');
    await becomes(81, 200);
  });
}
