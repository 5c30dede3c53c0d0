import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../src/agent/clock.ts';
import { tryOut } from '../../src/agent/trials/index.ts';
import { trialsMetadata, untriedWords } from '../../src/contracts/index.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import type { EnvoyResource, Origin } from '../../src/translate/index.ts';
import { DeltaClient } from '../support/grpc.ts';
import { thorough } from '../support/repetitions.ts';
import { until } from '../support/until.ts';
import { fakeResource, publisher, startXds } from '../support/xds.ts';

/* Patches that harm the Envoy that reads them, and agents that lie about what they were to try. */

const { cluster, trial } = typeUrls;
const mib = 1024 * 1024;
// A trial gives way to all others, so on a busy machine it gets little of either.
const limits = { memoryBytes: 96 * mib, cpuMs: 60, totalMs: 600_000, spareBytes: 0 };

function temporaryDirectory(t: ExecutionContext): string {
  const path = mkdtempSync(join(tmpdir(), 'gatewright-trial-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** What a trial says of an Envoy that does this. */
function verdictOf(t: ExecutionContext, script: string, more: Partial<typeof limits> = {}) {
  const folder = temporaryDirectory(t);
  const path = join(folder, 'envoy');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return tryOut([], { path, folder, bootstrap: '{}' }, systemClock, { ...limits, ...more });
}

thorough(test)('a patch that takes Envoy memory or time without end is rejected, and its trial ends', async (t) => {
  const hog = `exec ${process.execPath} -e 'const all = []; for (;;) all.push(Buffer.alloc(1e6, 1))'`;
  t.deepEqual(await verdictOf(t, hog, { cpuMs: 600_000 }), {
    kind: 'rejected',
    message: 'it takes Envoy more than 96 MiB of memory to read it',
  });
  t.deepEqual(await verdictOf(t, 'while :; do :; done'), {
    kind: 'rejected',
    message: 'it takes Envoy more than 0.06 s of CPU time to read it',
  });
  const starved = await verdictOf(t, 'while :; do :; done', { totalMs: 1, cpuMs: 600_000 });
  t.is(starved.kind, 'untried', 'it would go on, and nothing says that it would not end');
  // So long that it sleeps by then, whatever else the machine does.
  t.deepEqual(await verdictOf(t, 'exec sleep 100000', { totalMs: 20_000 }), {
    kind: 'rejected',
    message: 'Envoy does not come to an end with it within 20 s',
  });
});

test('a patch that ends Envoy ends only the one that tries it, and is rejected', async (t) => {
  t.deepEqual(await verdictOf(t, 'kill -SEGV $$'), {
    kind: 'rejected',
    message: 'Envoy ends with SIGSEGV when it reads it',
  });
});

thorough(test)(
  'where memory is short, or Envoy cannot be started, nothing is tried, and no patch is blamed',
  async (t) => {
    const short = await verdictOf(t, 'exit 1', { spareBytes: Number.MAX_SAFE_INTEGER });
    t.is(short.kind, 'untried');
    const folder = temporaryDirectory(t);
    const none = await tryOut([], { path: join(folder, 'none'), folder, bootstrap: '{}' }, systemClock, limits);
    t.is(none.kind, 'untried');
  },
);

/** A cluster with a patch, or without. */
function patched(name: string, patch: string): EnvoyResource {
  const origin: Origin = {
    kind: 'patch',
    key: `a/p|${name}`,
    digest: BigInt(`0x${Buffer.from(patch).toString('hex')}`),
  };
  const plain = fakeResource(cluster, name, 'plain');
  const resource = fakeResource(cluster, name, `with ${patch}`);
  const content = () => resource;
  return {
    ...resource,
    provenance: {
      origins: () => [origin],
      without: () => plain,
      trials: () => [{ origin, version: resource.version, content, control: () => plain }],
    },
  };
}

async function world(t: ExecutionContext) {
  const { server, port } = await startXds(t);
  const client = (nodeId: string) => {
    const made = new DeltaClient({ target: port, nodeId, metadata: { [trialsMetadata]: 'true' } });
    t.teardown(() => made.close());
    return made;
  };
  const trialsOf = (nodeId: string) =>
    server.nodes.find(nodeId)?.trials.map(({ trial: state, message }) => [state, message]);
  return { server, publish: publisher(server), client, trialsOf };
}

const textOf = ({ resources }: Awaited<ReturnType<DeltaClient['receive']>>): string =>
  resources.map(({ name, resource }) => `${name}: ${Buffer.from(resource?.value ?? [])}`).join(', ');

test('what an agent says of a patch counts for its own proxy alone', async (t) => {
  const { server, publish, client } = await world(t);
  publish({ upserts: [patched('web', 'p1')] });
  const [honest, liar] = [client('honest'), client('liar')];
  for (const one of [honest, liar]) {
    one.subscribe(trial);
    one.subscribe(cluster, '*');
  }
  t.is(textOf(await honest.take(cluster)), 'web: plain', 'not before it is tried');
  t.is(textOf(await liar.take(cluster)), 'web: plain');
  const asked = await liar.receive(trial);
  liar.nack(asked, 'a lie');
  liar.ack(await liar.receive(trial));
  await until('it to be held back', () => server.nodes.find('liar')?.refusals.length === 1);
  t.is(textOf(await honest.receive(trial)), 'web: with p1');
  honest.send({ typeUrl: trial, responseNonce: 'of another response' });
  t.is(server.nodes.find('honest')?.refusals.length, 0);
});

thorough(test)(
  'the patch that a proxy has stays until the next one is tried, and many are tried at once',
  async (t) => {
    const { publish, client } = await world(t);
    const names = Array.from({ length: 100 }, (_, index) => `web-${index}`);
    publish({ upserts: names.map((name) => patched(name, 'p1')) });
    const one = client('one');
    one.subscribe(trial);
    one.subscribe(cluster, '*');
    t.false(textOf(await one.take(cluster)).includes('with'));
    const sizes = [await one.take(trial), await one.take(trial)].map(({ resources }) => resources.length);
    t.deepEqual(sizes, [64, 36]);
    let served = '';
    while (names.some((name) => !served.includes(`${name}: with p1`))) served += `${textOf(await one.take(cluster))}, `;
    publish({ upserts: [patched('web-7', 'p2'), patched('web-8', 'p1')] });
    const second = await one.receive(trial);
    t.is(textOf(second), 'web-7: with p2');
    one.ack(second);
    t.is(textOf(await one.take(cluster)), 'web-7: with p2', 'and nothing in between');
  },
);

test('what an agent cannot try is sent all the same, and its node says so', async (t) => {
  const { publish, client, trialsOf } = await world(t);
  publish({ upserts: [patched('web', 'p1')] });
  const one = client('one');
  one.subscribe(trial);
  one.subscribe(cluster, '*');
  await one.take(cluster);
  one.nack(await one.receive(trial), untriedWords('no memory'));
  t.is(textOf(await one.take(cluster)), 'web: with p1');
  t.deepEqual(trialsOf('one'), [['none', 'no memory']]);
});

thorough(test)('a patch that nothing can be made of to try is sent untried, and the stream goes on', async (t) => {
  const { publish, client, trialsOf } = await world(t);
  const web = patched('web', 'p1');
  const trials = () =>
    web.provenance?.trials?.().map((each) => ({
      ...each,
      content: () => {
        throw new Error('no such thing');
      },
    })) ?? [];
  publish({ upserts: [{ ...web, provenance: { origins: () => [], trials } }] });
  const one = client('one');
  one.subscribe(trial);
  one.subscribe(cluster, '*');
  t.is(textOf(await one.take(cluster)), 'web: with p1');
  t.deepEqual(trialsOf('one'), [['none', 'no such thing']]);
});

thorough(test)('a patch is not blamed for what Envoy rejects without it, too', async (t) => {
  const { publish, client, trialsOf, server } = await world(t);
  publish({ upserts: [patched('web', 'p1')] });
  const one = client('one');
  one.subscribe(trial);
  one.subscribe(cluster, '*');
  await one.take(cluster);
  one.nack(await one.receive(trial), 'no');
  const control = await one.receive(trial);
  t.is(textOf(control), 'web: plain');
  one.nack(control, 'no');
  t.is(textOf(await one.take(cluster)), 'web: with p1');
  t.is(trialsOf('one')?.[0]?.[0], 'none');
  t.is(server.nodes.find('one')?.refusals.length, 0);
});

test('a proxy that has a patch from before a restart of the control plane keeps it, and nothing is tried', async (t) => {
  const { publish, client, trialsOf } = await world(t);
  const web = patched('web', 'p1');
  publish({ upserts: [web, fakeResource(cluster, 'other', 'one')] });
  const one = client('one');
  one.subscribe(trial);
  one.send({ typeUrl: cluster, resourceNamesSubscribe: ['*'], initialResourceVersions: { web: web.version } });
  t.is(textOf(await one.take(cluster)), 'other: one');
  t.deepEqual(trialsOf('one'), []);
});
