import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { conditionOf, startScriptWorld } from '../support/extension-world.ts';
import { neighbours, type TrafficWorld } from '../support/traffic-world.ts';
import { untilFits } from '../support/until.ts';
import { wasmModule } from '../support/wasm.ts';

/** Modules in a directory of the control plane, through the running program and a real Envoy. */

const marks = (name: string) =>
  wasmModule({ response: (write) => write.header('add', 'response', 'x-answered', name) });

const policyOf = (file: string) => ({
  apiVersion: 'gatewright.dev/v1alpha1',
  kind: 'ExtensionPolicy',
  metadata: { name: 'one' },
  spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'web' }], wasm: { file } },
});

function directoryOf(t: ExecutionContext): { readonly path: string; put(file: string, bytes: Uint8Array): void } {
  const path = mkdtempSync(join(tmpdir(), 'gatewright-modules-'));
  t.teardown(() => rmSync(path, { recursive: true }));
  return {
    path,
    put(file, bytes) {
      writeFileSync(join(path, '.new'), bytes);
      renameSync(join(path, '.new'), join(path, file));
    },
  };
}

/** What the module of the route has written into the answer; the status of another answer. */
async function untilAnswers(world: TrafficWorld, expected: string): Promise<void> {
  const ask = async (): Promise<string> => {
    const { status, headers } = await world.ask('a.test');
    return status === 200 ? `${headers['x-answered'] ?? ''}` : `${status}`;
  };
  await untilFits(`the answer ${expected}`, ask, (seen) => seen === expected);
}

const untilSays = (world: TrafficWorld, words: RegExp) =>
  untilFits(
    `the policy to say ${words}`,
    () => conditionOf(world, 'one', 'ResolvedRefs')?.message ?? '',
    (message) => words.test(message),
  );

test('a module of the directory acts, and another that takes its place is read by itself', async (t) => {
  const directory = directoryOf(t);
  directory.put('guard.wasm', await marks('1'));
  const world = await startScriptWorld(t, { wasmDirectory: directory.path });
  await world.rule(policyOf('guard.wasm'));
  await untilAnswers(world, '1');
  for (const host of neighbours) t.is((await world.ask(host)).headers['x-answered'], undefined);
  directory.put('guard.wasm', await marks('2'));
  await untilAnswers(world, '2');
  directory.put('guard.wasm', Buffer.from('no module'));
  await untilSays(world, /^file guard\.wasm of the control plane is no valid WebAssembly/);
  await untilAnswers(world, '503');
});

test('a file that is missing or too long closes its route, says so, and counts when it is there', async (t) => {
  const directory = directoryOf(t);
  const world = await startScriptWorld(t, { wasmDirectory: directory.path, wasmMaxMiB: 1 });
  await world.rule(policyOf('late.wasm'));
  await untilSays(world, /late\.wasm of the control plane does not exist; until then its targets are answered 503/);
  await untilAnswers(world, '503');
  directory.put('late.wasm', Buffer.alloc(1024 * 1024 + 1));
  await untilSays(world, /is 1048577 bytes long, and 1048576 are allowed/);
  directory.put('late.wasm', await marks('1'));
  await untilAnswers(world, '1');
  t.is(conditionOf(world, 'one', 'ResolvedRefs')?.status, 'True');
});

test('without a directory there are no files, and the policy says who can name one', async (t) => {
  const world = await startScriptWorld(t);
  await world.rule(policyOf('guard.wasm'));
  await untilSays(world, /is not available: the operator has set no extensions\.wasmDirectory/);
  await untilAnswers(world, '503');
  t.is(conditionOf(world, 'one', 'ResolvedRefs')?.reason, 'FileNotRead');
});
