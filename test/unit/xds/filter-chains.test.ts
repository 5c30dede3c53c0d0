import test from 'ava';
import fc from 'fast-check';
import { typeUrls } from '../../../src/envoy/index.ts';
import type { EnvoyResource } from '../../../src/translate/index.ts';
import {
  allSlots,
  baseName,
  chainName,
  chainOf,
  earlierName,
  lingerMs,
  scopeOf,
  slotsIn,
  World,
} from '../../support/chain-world.ts';
import { fakeResource } from '../../support/xds.ts';

const { extension, listener, scopedRoute } = typeUrls;

function started(...resources: readonly EnvoyResource[]): World {
  const world = new World();
  world.publish(fakeResource(listener, 'http/80'), ...resources);
  world.start();
  world.deliver();
  return world;
}

test('a scope that fills a new slot follows the chain that has it, when the client has acknowledged that', (t) => {
  const world = started(chainOf([]), scopeOf('x', []));
  world.publish(scopeOf('x', ['a']), chainOf(['a']));
  t.deepEqual(world.deliver(1), ['auth/http/80: a']);
  t.deepEqual(world.deliver(), ['x: a']);
});

test('while a client rejects a chain, scopes that need it wait, and all others go on', (t) => {
  const world = started(chainOf([]), scopeOf('x', []), scopeOf('y', []));
  world.client.rejects.add(extension);
  world.publish(chainOf(['a']), scopeOf('x', ['a']), scopeOf('y', [], 'changed'));
  t.deepEqual(world.deliver(), ['auth/http/80: a', 'auth/http/80: ', 'y: changed'], 'it is sent once more what it has');
  world.publish(scopeOf('y', [], 'once more'));
  t.deepEqual(world.deliver(), ['y: once more']);
  world.publish(chainOf(['a'], { text: 'fixed' }));
  t.deepEqual(world.deliver(), ['auth/http/80: a fixed', 'x: a']);
});

test('a slot stays until the client has taken the scopes without it, and lingers', (t) => {
  const world = started(chainOf(['a']), scopeOf('x', ['a']));
  world.publish(chainOf(['b']), scopeOf('x', ['b']));
  t.deepEqual(world.deliver(), ['auth/http/80: a,b', 'x: b']);
  world.pass(1);
  world.pass(lingerMs - 1);
  t.deepEqual(world.deliver(), []);
  world.pass(1);
  t.deepEqual(world.deliver(), ['auth/http/80: b']);
});

test('a slot stays for as long as the client rejects the scope without it', (t) => {
  const world = started(chainOf(['a']), scopeOf('x', ['a']));
  world.client.rejects.add(scopedRoute);
  world.publish(chainOf(['b']), scopeOf('x', ['b']));
  world.deliver();
  world.pass(1);
  world.pass(2 * lingerMs);
  t.deepEqual(world.deliver(), [], 'the scope that is served still fills the slot');
  world.publish(scopeOf('x', ['b'], 'fixed'));
  t.deepEqual(world.deliver(), ['x: b fixed']);
  world.pass(1);
  world.pass(lingerMs);
  t.deepEqual(world.deliver(), ['auth/http/80: b']);
});

test('a slot that is used again while it lingers makes no filter again', (t) => {
  const world = started(chainOf(['a']), scopeOf('x', ['a']));
  world.publish(chainOf([]), scopeOf('x', []));
  world.deliver();
  world.publish(chainOf(['a']), scopeOf('x', ['a']));
  t.deepEqual(
    world.deliver().filter((line) => line.startsWith('auth')),
    [],
  );
  world.pass(1);
  world.pass(2 * lingerMs);
  t.deepEqual(world.deliver(), []);
});

test('a slot that adds nothing to the chain that the client has is there at once', (t) => {
  const world = started(chainOf(['a']), scopeOf('x', ['a']));
  world.publish(chainOf(['b'], { silent: ['b'] }), scopeOf('x', ['b']));
  t.deepEqual(world.deliver(), ['x: b'], 'with a, which it keeps, it is the same chain');
  world.pass(1);
  world.pass(lingerMs);
  t.deepEqual(world.deliver(), ['auth/http/80: ']);
});

test('a client that comes back with another version of a chain first gets it with every slot', (t) => {
  const world = started(chainOf(['a']), scopeOf('x', ['a']));
  world.publish(chainOf(['b']), scopeOf('x', ['b']));
  world.reconnect();
  t.deepEqual(world.deliver(), ['auth/http/80: a,b,c', 'x: b']);
});

test('a client without the chain has no listener that leads through it, and gets scopes at once', (t) => {
  const world = new World();
  world.publish(fakeResource(listener, 'http/80'), scopeOf('x', ['a']), chainOf(['a']));
  world.client.versions.delete(extension);
  world.start();
  t.deepEqual(world.deliver(), ['x: a', 'http/80: http/80']);
});

test('a chain in which requests are to wait follows the one behind it, when the client has acknowledged that', (t) => {
  const behind = 'traffic/http/80';
  const chainBehind = (slot: string) => chainOf([slot], { name: behind });
  const world = new World();
  world.chains.push(behind);
  world.publish(fakeResource(listener, 'http/80'), chainOf([]), chainBehind('a'));
  world.start();
  world.deliver();
  const waiting = chainOf([], { guards: ['gw'], needs: new Map([[behind, ['b']]]) });
  world.client.rejects.add(extension);
  world.publish(waiting, chainBehind('b'));
  t.deepEqual(world.deliver(), ['traffic/http/80: a,b', 'traffic/http/80: a'], 'it is rejected');
  world.publish(chainBehind('c'));
  t.deepEqual(world.deliver(), ['traffic/http/80: a,c'], 'it has not what is needed');
  world.publish(chainBehind('b'));
  t.deepEqual(world.deliver(), ['traffic/http/80: a,b,c', 'auth/http/80: !gw']);
});

test('a listener that takes the place of one of an earlier release demands what that one demanded, until scopes are taken', (t) => {
  const world = new World();
  world.chains.splice(0, 1, earlierName);
  const published = (guards: readonly string[], slots: readonly string[]) =>
    [chainName, baseName, earlierName].map((name) => chainOf(name === baseName ? [] : slots, { name, guards }));
  world.publish(fakeResource(listener, 'http/80'), ...published(['gw'], []), scopeOf('http/80|x', []));
  world.start();
  world.deliver();
  world.client.rejects.add(extension);
  const needs = new Map([chainName, earlierName].map((name) => [name, ['a']]));
  world.publish(...published([], ['a']), { ...scopeOf('http/80|x', ['a']), needs });
  t.deepEqual(world.deliver(), [`${earlierName}: a,!gw`, `${earlierName}: !gw`], 'it is rejected, so the scope waits');
  world.want(new Set([chainName, baseName, earlierName]));
  t.deepEqual(world.deliver(), [`${chainName}: a,!gw`, `${baseName}: !gw`]);
});

type Step =
  | { readonly kind: 'publish'; readonly scopes: readonly (readonly [name: string, slots: readonly string[]])[] }
  | { readonly kind: 'deliver'; readonly most: number }
  | { readonly kind: 'reject'; readonly typeUrl: string }
  | { readonly kind: 'reconnect' }
  | { readonly kind: 'pass'; readonly ms: number };

const slotsArbitrary = fc.subarray(allSlots);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('publish' as const),
      scopes: fc.array(fc.tuple(fc.constantFrom('x', 'y', 'z'), slotsArbitrary), { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('deliver' as const), most: fc.integer({ min: 0, max: 4 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('reject' as const), typeUrl: fc.constantFrom(extension, scopedRoute) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reconnect' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(1, 300_000, lingerMs) }),
  },
);

test('whatever is published, rejected and interrupted: no client ever serves a scope without one of its slots', (t) => {
  const run = (steps: readonly Step[]): void => {
    const world = new World(() => {
      const open = world.client.unguarded();
      if (open.length > 0) throw new Error(`${open} is served without a filter`);
    });
    const scopes = new Map<string, readonly string[]>([['x', ['a']]]);
    let count = 0;
    const publish = (text = ''): void => {
      count += 1;
      const chain = chainOf([...scopes.values()].flat(), { text });
      world.publish(chain, ...[...scopes].map(([name, slots]) => scopeOf(name, slots, `${count}`)));
    };
    world.publish(fakeResource(listener, 'http/80'));
    publish();
    world.start();
    world.deliver();
    for (const step of steps) {
      if (step.kind === 'publish') {
        for (const [name, slots] of step.scopes) scopes.set(name, slots);
        publish();
      } else if (step.kind === 'deliver') world.deliver(step.most);
      else if (step.kind === 'reject') world.client.rejects.add(step.typeUrl);
      else if (step.kind === 'reconnect') world.reconnect();
      else world.pass(step.ms);
    }
    // In the end a client that takes everything has everything, and no more slots than needed.
    world.client.rejects.clear();
    publish('other content than what was rejected');
    world.deliver();
    world.pass(1);
    world.pass(lingerMs);
    world.deliver();
    t.deepEqual(world.client.slots(), [...new Set([...scopes.values()].flat())].sort());
    for (const [name, slots] of scopes) t.deepEqual(slotsIn(world.client.has.get(scopedRoute)?.get(name) ?? ''), slots);
  };
  fc.assert(fc.property(fc.array(step, { maxLength: 40 }), run), { numRuns: 500 });
});

test('a demand that moves from a table to its routes holds at every moment, and goes from the table before the snapshot counts', (t) => {
  let isOpen = false;
  const world = new World(() => {
    if (!isOpen) return;
    const chain = world.client.has.get(extension)?.get(chainName) ?? '';
    const scope = world.client.has.get(scopedRoute)?.get('h') ?? '';
    t.true(chain.includes('!gw') || slotsIn(scope).includes('a'), `${chain} / ${scope}`);
  });
  world.publish(chainOf([], { guards: ['gw'] }), scopeOf('h', []));
  world.start();
  world.deliver();
  isOpen = true;
  world.publish(chainOf(['a']), scopeOf('h', ['a']));
  t.deepEqual(world.deliver(), [`${chainName}: a,!gw`, 'h: a', `${chainName}: a`]);
  world.publish(chainOf(['a'], { guards: ['gw'] }), scopeOf('h', []));
  t.deepEqual(world.deliver(), [`${chainName}: a,!gw`, 'h: ']);
  world.publish(chainOf(['a']), scopeOf('h', ['a']));
  t.deepEqual(world.deliver(), ['h: a', `${chainName}: a`]);
});
