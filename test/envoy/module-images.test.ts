import { cpSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { conditionOf, startScriptWorld } from '../support/extension-world.ts';
import { plainLayer, registrySecret, startRegistry, withImage } from '../support/registry.ts';
import { neighbours, spellings, type TrafficWorld } from '../support/traffic-world.ts';
import { untilFits } from '../support/until.ts';
import { wasmModule } from '../support/wasm.ts';

/** Modules in images of a registry, through the running program and a real Envoy. */

const web = { name: 'web' };

const marks = (name: string) =>
  wasmModule({ response: (write) => write.header('add', 'response', 'x-answered', name) });

/** What the module of the route has written into the answer; the status of another answer. */
const answered = async (world: TrafficWorld, host = 'a.test'): Promise<string> => {
  const { status, headers } = await world.ask(host);
  return status === 200 ? `${headers['x-answered'] ?? ''}` : `${status}`;
};

const mebibyte = 1024 * 1024;

/** With a section that means nothing, so that it is longer than any ConfigMap. */
function lengthened(code: Uint8Array, mebibytes: number): Uint8Array {
  const content = Buffer.concat([Buffer.from([1, 0x78]), Buffer.alloc(mebibytes * mebibyte, 0x61)]);
  const size: number[] = [];
  for (let left = content.length; ; left >>>= 7) {
    if (left < 0x80) {
      size.push(left);
      return Buffer.concat([code, Buffer.from([0, ...size]), content]);
    }
    size.push((left & 0x7f) | 0x80);
  }
}

test('a module of an image is pulled once, with credentials, however long it is, and a change of routes pulls nothing', async (t) => {
  const world = await startScriptWorld(t);
  const registry = await startRegistry(t, 'puller:secret');
  const reference = registry.push('team/guard', lengthened(await marks('1'), 3));
  world.write('registry.yaml', registry.trust('registry-ca'), registrySecret('pull', 'puller:secret'));
  const policy = withImage('one', web, { reference, secretRef: { name: 'pull' } });
  await world.rule(policy);
  for (const host of spellings)
    await untilFits(
      `the module to act at ${host}`,
      () => answered(world, host),
      (seen) => seen === '1',
    );
  for (const host of neighbours) t.is(await answered(world, host), '');
  const pulled = registry.requests.length;
  await world.rule(policy, withImage('two', { name: 'neighbour' }, { reference, secretRef: { name: 'pull' } }));
  await untilFits(
    'the module to act at the other route',
    () => answered(world, 'n.test'),
    (seen) => seen === '1',
  );
  t.is(registry.requests.length, pulled);
  t.is(conditionOf(world, 'one', 'ResolvedRefs')?.status, 'True');
});

test('what runs goes on while its next image is on its way, and until that is there', async (t) => {
  const world = await startScriptWorld(t);
  const registry = await startRegistry(t);
  world.write('registry.yaml', registry.trust('registry-ca'));
  await world.rule(withImage('one', web, { reference: registry.push('guard', await marks('1'), plainLayer) }));
  await untilFits(
    'the first one to act',
    () => answered(world),
    (seen) => seen === '1',
  );

  const reference = registry.push('guard', await marks('2'));
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  registry.answerInstead('/v2/guard/manifests/', (_, response) => {
    asked.resolve();
    void held.promise.then(() => response.writeHead(503).end());
  });
  await world.rule(withImage('one', web, { reference }));
  await asked.promise;
  t.is(await answered(world), '1');

  // It is not available: then the policy says so, and lets nothing pass.
  held.resolve();
  await untilFits(
    'the route to be closed',
    () => answered(world),
    (seen) => seen === '503',
  );
  const resolved = conditionOf(world, 'one', 'ResolvedRefs');
  t.is(resolved?.reason, 'ImageNotPulled');
  t.regex(resolved?.message ?? '', /localhost:\d+ answers 503; until then its targets are answered 503/);
  registry.answerInstead('/v2/guard/manifests/', undefined);
  await untilFits(
    'the second one to act',
    () => answered(world),
    (seen) => seen === '2',
  );
});

test('an image for which credentials are missing or wrong closes its route, says so, and counts when they are there', async (t) => {
  const world = await startScriptWorld(t);
  const registry = await startRegistry(t, 'puller:secret');
  world.write('registry.yaml', registry.trust('registry-ca'));
  const reference = registry.push('guard', await marks('1'));
  await world.rule(withImage('one', web, { reference, secretRef: { name: 'pull' } }));
  const says = (words: RegExp) =>
    untilFits(
      `the policy to say ${words}`,
      () => conditionOf(world, 'one', 'ResolvedRefs')?.message ?? '',
      (message) => words.test(message),
    );
  await says(/Secret default\/pull does not exist/);
  t.is(await answered(world), '503');
  for (const host of neighbours) t.is(await answered(world, host), '');
  world.write('secret.yaml', registrySecret('pull', 'puller:guess'));
  await says(/answers 401 and no token: correct the credentials/);
  world.write('secret.yaml', registrySecret('pull', 'puller:secret'));
  await untilFits(
    'the module to act',
    () => answered(world),
    (seen) => seen === '1',
  );
});

test('a control plane that starts while the registry is down has the modules that it had before, unless they were changed', async (t) => {
  const registry = await startRegistry(t);
  const reference = registry.push('guard', await marks('1'));
  const before = await startScriptWorld(t);
  before.write('registry.yaml', registry.trust('registry-ca'));
  const policy = withImage('one', web, { reference });
  await before.rule(policy);
  const acts = (world: TrafficWorld) =>
    untilFits(
      'the module to act',
      () => answered(world),
      (seen) => seen === '1',
    );
  await acts(before);
  const [kept, changed] = ['kept', 'changed'].map((name) => mkdtempSync(join(tmpdir(), `gatewright-${name}-`))) as [
    string,
    string,
  ];
  for (const state of [kept, changed])
    cpSync(join(before.stateDirectory, 'modules'), join(state, 'modules'), { recursive: true });
  const files = { 'modules.yaml': [registry.trust('registry-ca'), policy] };
  await registry.stop();

  const after = await startScriptWorld(t, {}, { files, stateDirectory: kept });
  await acts(after);
  t.is(conditionOf(after, 'one', 'ResolvedRefs')?.status, 'True');

  const [folder = ''] = readdirSync(join(changed, 'modules'));
  for (const file of readdirSync(join(changed, 'modules', folder)))
    writeFileSync(join(changed, 'modules', folder, file), 'other bytes');
  const spoilt = await startScriptWorld(t, {}, { files, stateDirectory: changed });
  await untilFits(
    'the route to be closed',
    () => answered(spoilt),
    (seen) => seen === '503',
  );
  t.is(conditionOf(spoilt, 'one', 'ResolvedRefs')?.reason, 'ImageNotPulled');
});
