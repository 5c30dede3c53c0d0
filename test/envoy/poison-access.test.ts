import test, { type ExecutionContext } from 'ava';
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

const served = (port: number) => [
  service('web', [80]),
  endpointSlice('web', ['127.0.0.1'], { port }),
  ...['shop', 'other'].map((name) =>
    httpRoute(name, { hostnames: [`${name}.test`], rules: [{ backendRefs: [{ name: 'web', port: 80 }] }] }),
  ),
];

const startServer = (t: ExecutionContext) =>
  startBackend(t, (_, response) => response.writeHead(200, { connection: 'close' }).end('ok'));

const acceptedOf = ({ graph }: PoisonWorld, name: string) => {
  const status = graph.statusOf('AccessPolicy', `default/${name}`);
  return status && 'ancestors' in status
    ? status.ancestors[0]?.conditions.find(({ type }) => type === 'Accepted')
    : undefined;
};

test('of two listeners of one policy, the one whose other policy Envoy rejects is closed alone', async (t) => {
  const { port } = await startServer(t);
  const world = await PoisonWorld.start(t, {}, [80]);
  const at = (sectionName: string) => ({ ...edge, sectionName });
  const first = { targetRefs: [at('shop'), at('other')], clientIPs: { allow: ['127.0.0.1/32'] } };
  const second = (rules: readonly object[]) => ({
    targetRefs: [at('shop')],
    authorization: { default: 'Allow', rules },
  });
  world.put(
    gatewayClass(),
    gateway(
      'edge',
      ['shop', 'other'].map((name) => listener({ name, port: 80, hostname: `${name}.test` })),
    ),
    ...served(port),
    ownObject('AccessPolicy', 'first', first),
  );
  await world.startEnvoy('one');
  await world.answers('other.test', '/');
  const statusOf = (host: string) => world.ask(host, '/').then(({ status }) => status);
  world.put(ownObject('AccessPolicy', 'second', second([badRule])));
  await untilFits(
    'the listener to be closed',
    () => statusOf('shop.test'),
    (status) => status === 500,
  );
  await world.awaits('the first policy to say it', () => acceptedOf(world, 'first'), 'False');
  t.is(await statusOf('other.test'), 200);
  world.put(ownObject('AccessPolicy', 'second', second([])));
  await untilFits(
    'the corrected policy to hold',
    () => statusOf('shop.test'),
    (status) => status === 200,
  );
  await world.awaits('the first policy to be well', () => acceptedOf(world, 'first'), 'True');
});

for (const [what, target] of [
  ['Gateway', edge],
  ['listener', { ...edge, sectionName: 'http' }],
] as const) {
  test(`what Envoy rejects of the access policy of a ${what} closes its hosts, and the policy says so until it is changed`, async (t) => {
    const { port } = await startServer(t);
    const world = await PoisonWorld.start(t, {}, [80, 81]);
    const isOfAll = target === edge;
    world.put(
      gatewayClass(),
      gateway('edge', [listener({ name: 'http', port: 80 }), listener({ name: 'other', port: 81 })]),
      ...served(port),
      policy(target),
    );
    await world.startEnvoy('one');
    await world.answers('shop.test', '/');
    const accepted = () => acceptedOf(world, 'guard');
    const statusAt = (at: number) => world.ask('shop.test', '/', at).then(({ status }) => status);
    const becomes = (at: number, status: number) =>
      untilFits(
        `port ${at} to answer ${status}`,
        () => statusAt(at),
        (found) => found === status,
      );
    await becomes(81, 200);
    t.is(accepted()?.status, 'True');

    world.put(policy(target, [badRule]));
    await becomes(80, 500);
    const said = await world.awaits('the policy to say it', accepted, 'False');
    t.is(said.reason, 'Invalid');
    t.regex(
      said.message,
      /^what is demanded of requests to its targets is rejected by the proxy, and requests that it is for are answered 500 until it is changed: .*regex/,
    );
    if (isOfAll) await becomes(81, 500);
    else t.is(await statusAt(81), 200, 'the other listener goes on');

    world.put(policy(target));
    await becomes(80, 200);
    await world.awaits('the policy to be well', accepted, 'True');
    await becomes(81, 200);
  });
}
