import test from 'ava';
import { typeUrls } from '../../../src/envoy/index.ts';
import type { EnvoyResource } from '../../../src/translate/index.ts';
import { FilterChains } from '../../../src/xds/session/filter-chains.ts';
import { Outbox } from '../../../src/xds/session/outbox.ts';
import { chainName, chainOf, scopeOf, World } from '../../support/chain-world.ts';
import { fakeResource } from '../../support/xds.ts';

/** Envoy keeps what it rejected, for whatever names it from then on. So it is sent once more what it has. */

const { extension, listener } = typeUrls;
const listName = 'lists/place/http/80';
/** It may be rejected, so it goes by itself. */
function listOf(text: string): EnvoyResource {
  const { slots, ...list } = chainOf([], { name: listName, text });
  const made: EnvoyResource = {
    ...list,
    provenance: { origins: () => [] },
    ...(slots && { slots: { ...slots, with: () => made } }),
  };
  return made;
}
/** A chain that leads to the list. */
const leading = (text: string): EnvoyResource => chainOf([], { text, needs: new Map([[listName, []]]) });

function started(...resources: readonly EnvoyResource[]): World {
  const world = new World();
  world.chains.push(listName);
  world.publish(fakeResource(listener, 'http/80'), chainOf([]), ...resources);
  world.start();
  world.deliver();
  return world;
}

test('a client that rejects a list is sent it once more as it has it, before a chain that leads there', (t) => {
  const world = started(listOf('1'));
  world.client.rejects.add(extension);
  world.publish(listOf('2'), leading('x'));
  t.deepEqual(world.deliver(), [`${listName}: 2`, `${listName}: 1`, `${chainName}: x`]);
  t.is(world.client.spoilt.size, 0);
});

test('what is left of a list without what is rejected goes before a chain that leads there, also where the client has just that', (t) => {
  const world = started(listOf('1'));
  const origin = { kind: 'traffic', key: 'n/bad', digest: 1n } as const;
  const bad = { ...listOf('2'), provenance: { origins: () => [origin], without: () => listOf('1') } };
  world.client.rejects.add(extension);
  world.publish({ ...bad, ...(bad.slots && { slots: { ...bad.slots, with: () => bad } }) }, leading('x'));
  t.deepEqual(world.deliver(), [`${listName}: 2`, `${listName}: 1`, `${chainName}: x`]);
});

test('what the list is to be by then goes in place of what the client has', (t) => {
  const world = started(listOf('1'));
  world.client.rejects.add(extension);
  world.publish(listOf('2'));
  t.deepEqual(world.deliver(1), [`${listName}: 2`]);
  world.publish(listOf('1'), leading('x'));
  t.deepEqual(world.deliver(), [`${listName}: 1`, `${chainName}: x`]);
});

test('what was rejected is tried when it comes again, after it was something else', (t) => {
  const world = started(listOf('1'));
  world.client.rejects.add(extension);
  world.publish(listOf('2'));
  world.deliver();
  world.publish(listOf('3'));
  world.deliver();
  world.client.rejects.add(extension);
  world.publish(listOf('2'));
  t.deepEqual(world.deliver(), [`${listName}: 2`, `${listName}: 3`]);
  t.is(world.client.has.get(extension)?.get(listName)?.trim(), '3');
});

test('a client that never took the list is sent none, and what leads there waits until it takes one', (t) => {
  const world = started();
  world.client.rejects.add(extension);
  world.publish(listOf('1'));
  t.deepEqual(world.deliver(), [`${listName}: 1`]);
  world.publish(leading('x'));
  t.deepEqual(world.deliver(), []);
  world.publish(listOf('2'));
  t.deepEqual(world.deliver(), [`${listName}: 2`, `${chainName}: x`]);
});

test('what the client rejects of what it has is not sent without end', (t) => {
  const world = started(listOf('1'));
  world.publish(listOf('2'));
  for (const sent of ['2', '1']) {
    world.client.rejects.add(extension);
    t.deepEqual(world.deliver(1), [`${listName}: ${sent}`]);
  }
  t.deepEqual(world.deliver(), []);
});

test('a client that gave the list up and asks for it again has nothing of before', (t) => {
  const world = started(listOf('1'));
  world.client.rejects.add(extension);
  world.publish(listOf('2'));
  world.deliver(1);
  const all = [...world.chains];
  world.want(new Set(all.filter((name) => name !== listName)));
  t.deepEqual(world.deliver(), []);
  world.want(new Set(all));
  t.deepEqual(world.deliver(), [`${listName}: 2`]);
});

test('a chain in which requests wait is not sent once more: they would continue with what is freed', (t) => {
  const steady = (text: string): EnvoyResource => {
    const chain = leading(text);
    return chain.slots ? { ...chain, slots: { ...chain.slots, listsAt: new Map([['place', listName]]) } } : chain;
  };
  const world = started(listOf('1'), steady('x'));
  t.is(world.client.has.get(extension)?.get(chainName)?.trim(), 'x');
  world.client.rejects.add(extension);
  world.publish(steady('y'));
  t.deepEqual(world.deliver(), [`${chainName}: y`]);
});

test('scopes wait for the slots of a chain that was rejected, and for what the client has to be sent', (t) => {
  const world = started(chainOf(['a']), scopeOf('x', ['a']));
  world.client.rejects.add(extension);
  world.publish(chainOf(['a', 'b']), scopeOf('x', ['a'], 'changed'), scopeOf('y', ['b']));
  t.deepEqual(world.deliver(), [`${chainName}: a,b`, `${chainName}: a`, 'x: a changed']);
});

test('that a client takes what it has once more says nothing of what it rejects', (t) => {
  const chains = new FilterChains();
  const outbox = new Outbox({ isInner: () => false, queue: 'extension' }, undefined, chains);
  const send = () => {
    const batch = outbox.take(1000);
    outbox.inFlight.sent({ nonce: '1', snapshot: 's', batch, sentAtMs: 0 });
    return batch.upserts;
  };
  const [before, after] = [listOf('1'), listOf('2')];
  chains.taken(before);
  outbox.put(after, 3);
  t.deepEqual(send(), [after]);
  t.false(outbox.inFlight.is('renewal'));
  outbox.reject('no', false);
  t.deepEqual(send(), [before]);
  t.true(outbox.inFlight.is('renewal'));
  outbox.accept();
  chains.renewals.over(listName);
  t.is(outbox.behindSince, 3);
  t.is(outbox.rejected.get(listName)?.version, after.version);
  t.true(outbox.quiet);
});
