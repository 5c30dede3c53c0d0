import test from 'ava';
import type { Condition } from '../../src/gateway-api/index.ts';
import { routeKey } from '../../src/graph/model/index.ts';
import { startBackend } from '../support/http.ts';
import { endpointSlice, gateway, gatewayClass, httpRoute, listener, ownObject, service } from '../support/objects.ts';
import { PoisonWorld, watch } from '../support/poison-world.ts';
import { every } from '../support/repetitions.ts';
import { poisonedKey } from '../support/spoilt-limits.ts';
import { untilFits } from '../support/until.ts';

/** Buckets of which only Envoy knows that they are bad: each alone is left out, its policy says so, and no other is disturbed. */

const group = 'gateway.networking.k8s.io';
const once = [{ requests: 1, per: '1h' }];
/** Lets one request to the path through. */
const bucketFor = (path: string) => ({ name: path.slice(1), match: { path: { value: path } }, limits: once });
const badBucket = { name: 'bad', key: [{ type: 'Header', name: poisonedKey }], limits: once };
const policy = (name: string, target: object, buckets: readonly object[], more: object = {}) =>
  ownObject('RateLimitPolicy', name, { targetRefs: [{ group, ...target }], buckets, ...more });

const placeOf = {
  Gateway: { listener: { owner: { kind: 'Gateway', namespace: 'default', name: 'edge' }, name: 'http' } },
  HTTPRoute: { route: routeKey('HTTPRoute', 'default/shop'), rule: 'all' },
} as const;

const edge = { kind: 'Gateway', name: 'edge' } as const;
const shop = { kind: 'HTTPRoute', name: 'shop' } as const;

for (const [what, bad, good, more] of every(7, [
  ['a Gateway', edge, edge, {}],
  ['a Gateway, BeforeAuth', edge, edge, { phase: 'BeforeAuth' }],
  ['a listener', { ...edge, sectionName: 'http' }, edge, {}],
  ['a route', shop, shop, {}],
  ['a rule', { ...shop, sectionName: 'all' }, edge, {}],
  ['a Gateway, Shared', edge, edge, { counting: 'Shared' }],
  ['a route, Shared', shop, shop, { counting: 'Shared' }],
] as const)) {
  test(`a bucket that Envoy rejects is left out alone, and its policy says so until it is changed: of ${what}`, async (t) => {
    const backend = await startBackend(t, (_, response) => response.writeHead(200, { connection: 'close' }).end('ok'));
    const world = await PoisonWorld.start(t, {}, [80]);
    world.put(
      gatewayClass(),
      gateway('edge', [listener({ name: 'http', port: 80 })]),
      service('web', [80]),
      endpointSlice('web', ['127.0.0.1'], { port: backend.port }),
      ...['shop', 'other'].map((name) =>
        httpRoute(name, {
          parentRefs: [{ name: 'edge' }],
          hostnames: [`${name}.test`],
          rules: [{ name: 'all', backendRefs: [{ name: 'web', port: 80 }] }],
        } as never),
      ),
    );
    await world.startEnvoy('one');
    for (const host of ['shop.test', 'other.test']) await world.answers(host, '/');
    const isLimited = (path: string) =>
      untilFits(
        `${path} to be limited`,
        async () => (await world.ask('shop.test', path)).status,
        (status) => status === 429,
      );
    const accepted = (name: string): Condition | undefined => {
      const status = world.graph.statusOf('RateLimitPolicy', `default/${name}`);
      return status && 'ancestors' in status
        ? status.ancestors[0]?.conditions.find(({ type }) => type === 'Accepted')
        : undefined;
    };
    const own = 'counting' in more ? [] : [bucketFor('/own')];
    const short = (bucket: object) => ('phase' in more ? { ...bucket, limits: [{ requests: 1, per: '60s' }] } : bucket);
    const badPolicy = (...buckets: readonly object[]) => policy('bad', bad, [...own, ...buckets].map(short), more);
    world.put(policy('good', good, [bucketFor('/good')]), ...(own.length > 0 ? [badPolicy()] : []));
    for (const path of ['/good', ...own.map(() => '/own')]) await isLimited(path);
    const watching = watch(world, [
      ['shop.test', '/'],
      ['other.test', '/'],
    ]);

    world.put(badPolicy(badBucket));
    const said = await world.awaits('the policy to say it', () => accepted('bad'), 'False');
    t.is(said.reason, 'Invalid');
    t.regex(said.message, /^bucket bad is rejected by the proxy, so it is left out until it is changed: .*HeaderName/);
    t.is(accepted('good')?.status, 'True');
    const place = { gateway: 'default/edge', ...placeOf[bad.kind] };
    const held = world.graph.limitsAt(place).filter(({ bucket }) => bucket === 'bad');
    t.deepEqual(
      held.map(({ value, faults }) => [value, faults[0]?.message]),
      [[undefined, said.message]],
    );
    // What comes after it goes on to proxies.
    world.put(policy('later', good, [bucketFor('/later')]));
    for (const path of ['/later', '/good', ...own.map(() => '/own')]) await isLimited(path);
    for (const name of ['shop', 'other']) t.is(world.routeCondition(name, 'Accepted')?.status, 'True', name);

    world.put(policy('bad', bad, [bucketFor('/well')]));
    await world.awaits('the policy to be well', () => accepted('bad'), 'True');
    await isLimited('/well');
    const { wrong, asked } = await watching.stop();
    t.deepEqual(wrong, [], `of ${asked}`);
  });
}
