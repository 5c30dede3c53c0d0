import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import test, { type ExecutionContext } from 'ava';
import { pino } from 'pino';
import { ModuleFiles } from '../../../src/agent/modules/index.ts';
import { type DeltaRequest, decodeDeltaResponse, deltaRequest } from '../../../src/agent/relay/delta-messages.ts';
import { Relay } from '../../../src/agent/relay/relay.ts';
import { moduleFile } from '../../../src/contracts/index.ts';
import { DeltaDiscoveryResponseSchema, packAny, typeUrls, WasmModuleSchema } from '../../../src/envoy/index.ts';

/** Modules that come to an agent, with both sides of its relay played by hand. */

const folderOf = (t: ExecutionContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'gatewright-modules-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const digestOf = (code: string): string => createHash('sha256').update(code).digest('hex');

function answerWith(nonce: string, codes: Readonly<Record<string, string>>, removedResources: string[] = []) {
  const resources = Object.entries(codes).map(([name, code]) => ({
    name,
    version: digestOf(code),
    resource: packAny(WasmModuleSchema, create(WasmModuleSchema, { code: Buffer.from(code) })),
  }));
  const message = create(DeltaDiscoveryResponseSchema, {
    typeUrl: typeUrls.module,
    nonce,
    resources,
    removedResources,
  });
  return decodeDeltaResponse(toBinary(DeltaDiscoveryResponseSchema, message));
}

/** An agent of which Envoy has opened its stream, and asked for clusters. */
function start(folder: string) {
  const modules = new ModuleFiles();
  modules.open(folder);
  const relay = new Relay({ logger: pino({ level: 'silent' }), now: () => new Date(0), modules });
  const asked: DeltaRequest[] = [];
  const envoyJoins = () => {
    relay.envoyJoined(() => undefined);
    relay.envoyAsked(deltaRequest({ typeUrl: typeUrls.cluster }), Uint8Array.of(1));
  };
  envoyJoins();
  relay.controlPlaneJoined((request) => asked.push(request));
  return { relay, asked, envoyJoins, fileOf: (code: string) => join(folder, moduleFile(digestOf(code))) };
}

test('an agent asks for modules before all else, with the node, and acknowledges them when their files are there', (t) => {
  const { relay, asked, fileOf } = start(folderOf(t));
  t.deepEqual(
    asked.map(({ typeUrl, node }) => [typeUrl, node !== undefined]),
    [
      [typeUrls.module, true],
      [typeUrls.cluster, false],
    ],
  );
  relay.controlPlaneAnswered(answerWith('1', { a: 'first', b: 'second' }));
  t.is(readFileSync(fileOf('first'), 'utf8'), 'first');
  t.is(readFileSync(fileOf('second'), 'utf8'), 'second');
  t.like(asked.at(-1), { typeUrl: typeUrls.module, nonce: '1' });
  t.is(asked.at(-1)?.error, undefined);
});

test('a file goes with the last module that has it', (t) => {
  const { relay, fileOf } = start(folderOf(t));
  relay.controlPlaneAnswered(answerWith('1', { a: 'same', b: 'same', c: 'other' }));
  relay.controlPlaneAnswered(answerWith('2', {}, ['a', 'c']));
  t.deepEqual([existsSync(fileOf('same')), existsSync(fileOf('other'))], [true, false]);
  relay.controlPlaneAnswered(answerWith('3', {}, ['b']));
  t.false(existsSync(fileOf('same')));
});

test('an Envoy that starts again finds the files of before, whatever happened to them', (t) => {
  const folder = folderOf(t);
  const { relay, envoyJoins, fileOf } = start(folder);
  relay.controlPlaneAnswered(answerWith('1', { a: 'first' }));
  relay.controlPlaneLeft();
  relay.envoyLeft();
  rmSync(join(folder, 'modules'), { recursive: true });
  envoyJoins();
  t.is(readFileSync(fileOf('first'), 'utf8'), 'first');
});

test('an agent that takes over what another one held makes the files before Envoy asks', (t) => {
  const before = start(folderOf(t));
  before.relay.controlPlaneAnswered(answerWith('1', { a: 'first' }));
  const folder = folderOf(t);
  const modules = new ModuleFiles();
  modules.open(folder);
  const relay = new Relay({ logger: pino({ level: 'silent' }), now: () => new Date(0), modules });
  relay.restore(before.relay.takeAll());
  relay.envoyJoined(() => undefined);
  t.is(readFileSync(join(folder, moduleFile(digestOf('first'))), 'utf8'), 'first');
});

test('a module that cannot be kept is rejected, with the reason', (t) => {
  const folder = folderOf(t);
  const { relay, asked } = start(folder);
  writeFileSync(join(folder, 'modules'), 'in the way');
  relay.controlPlaneAnswered(answerWith('1', { a: 'first' }));
  t.is(asked.at(-1)?.nonce, '1');
  t.regex(asked.at(-1)?.error?.message ?? '', /the agent cannot keep it: .*modules/);
});
