import test from 'ava';
import type { ProcessingRequest } from '../../src/envoy/index.ts';
import { processedBy, scripted, withModule } from '../support/extension-world.ts';
import { headersOf, passing, type Reply, setting } from '../support/processor.ts';
import { extensions, hosts, others, places, startSlots, target } from '../support/slot-world.ts';
import { trafficGroups, unseenGroups } from '../support/traffic-groups.ts';
import { neighbours, trafficPolicy } from '../support/traffic-world.ts';
import { wasmModule } from '../support/wasm.ts';

/**
 * Each filter of TrafficPolicies, and extensions, in their slots, on a route alone and on one that fills all other slots as well, however its host is found. It guards
 * each update of Envoy: what a slot lets a filter do is nowhere promised.
 */

const counts = (message: ProcessingRequest): Reply => {
  if (message.request.case !== 'responseHeaders') return passing(message);
  const { 'x-processed': before = '' } = headersOf(message.request.value.headers);
  return setting(message, { 'x-processed': `${before}1` });
};

const script = `
function envoy_on_response(handle)
  local headers = handle:headers()
  headers:replace("x-processed", (headers:get("x-processed") or "") .. "1")
end`;

type Named = { readonly metadata: { readonly name: string } };

/** By what they are, extensions that count themselves in answers, with what they need. */
const counting: Readonly<Record<string, (name: string) => Promise<readonly Named[]>>> = {
  processors: async (name: string) => [processedBy('unseen', target, {}, { name })],
  scripts: async (name: string) => [scripted(name, target, script)],
  modules: async (name: string) =>
    withModule(
      name,
      target,
      await wasmModule({ response: (write) => write.header('add', 'response', 'x-processed', '1') }),
    ),
};

for (const [what, extensionBy] of Object.entries(counting))
  for (const isFull of [false, true])
    test(`${what} act on their route and no other, ${isFull ? 'where all slots are full' : 'alone'}`, async (t) => {
      const world = await startSlots(t, { isFull, reply: counts, objects: others });
      const look = async (host: string, path: string) =>
        String((await world.ask(host, { path })).headers['x-processed'] ?? '').replaceAll(', ', '');
      const all = await Promise.all(places.map(extensionBy));
      for (const some of [all.slice(0, 1), all]) {
        await world.rule(...some.flat(), ...(isFull ? [trafficPolicy('web', target, unseenGroups)] : []));
        const seen = '1'.repeat(some.length);
        for (const host of hosts) for (const path of ['/', '/special']) t.is(await look(host, path), seen, host + path);
        for (const host of neighbours) t.is(await look(host, '/'), '', host);
      }
    });

for (const isFull of [false, true]) {
  test(`each filter acts on its route and no other, ${isFull ? 'where all slots are full' : 'alone'}`, async (t) => {
    const world = await startSlots(t, { isFull, reply: passing, objects: [...others, ...extensions] });
    const plain = new Map<string, string>();
    for (const { group, look } of trafficGroups) plain.set(group, await look(world, 'n.test', '/'));
    for (const { group, value, look, seen } of trafficGroups) {
      const rest = Object.entries(unseenGroups).filter(([name]) => isFull && name !== group);
      await world.rule(trafficPolicy('web', target, { ...Object.fromEntries(rest), [group]: value }));
      for (const host of hosts)
        for (const path of ['/', '/special']) t.is(await look(world, host, path), seen[0], `${group} ${host}${path}`);
      for (const host of neighbours) t.is(await look(world, host, '/'), plain.get(group) ?? '', `${group} ${host}`);
    }
  });
}
