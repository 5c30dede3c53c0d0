import { randomBytes } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { DataPlaneAgent } from '../../src/agent/index.ts';
import { endpoints } from '../support/agent-resources.ts';
import {
  ask,
  eventually,
  folder,
  record,
  servingWorld,
  startAgent,
  startBackend,
  untilReady,
  untilServes,
} from '../support/agent-world.ts';
import { logLines } from '../support/log-lines.ts';
import { pause } from '../support/pace.ts';
import { thorough } from '../support/repetitions.ts';

const stop = (agent: DataPlaneAgent) => agent.stop({ drain: false });

const untilKept = (agent: DataPlaneAgent) =>
  eventually('the configuration on disk', async () => (await record(agent, 'status')).cache.written_at !== null);

/** An agent that served and kept one route, and is gone like its control plane. */
async function keptWorld(t: ExecutionContext, options: { readonly maxAgeMs?: number; readonly keyFile?: string } = {}) {
  const cache = { directory: join(folder(t), 'cache'), ...options };
  const { agent, ...world } = await servingWorld(t, { cache });
  t.is((await record(agent, 'status')).serving, 'current');
  await untilKept(agent);
  await world.controlPlane.stop();
  await stop(agent);
  return { ...world, cache, file: join(cache.directory, 'configuration.cache') };
}

/** Asks all the time; gives what was answered. */
function keepAsking(port: number) {
  const over = new AbortController();
  const answers = new Map<string, number>();
  const count = (what: string) => answers.set(what, (answers.get(what) ?? 0) + 1);
  const asking = (async () => {
    while (!over.signal.aborted) {
      await ask(port, '/').then(
        ({ status }) => count(String(status)),
        (error: NodeJS.ErrnoException) => count(String(error.code)),
      );
      await pause();
    }
  })();
  return {
    end: async () => {
      over.abort();
      await asking;
      return Object.fromEntries(answers);
    },
  };
}

test('a restart while no control plane is there serves at once, says cached, and loses nothing when it is back', async (t) => {
  const { controlPlane, port, cache, file, listener, resources } = await keptWorld(t);
  t.is(statSync(file).mode & 0o777, 0o600);
  t.is(statSync(cache.directory).mode & 0o777, 0o700);
  const { logger, find } = logLines();
  const agent = await startAgent(t, controlPlane.address, { cache, logger });
  await untilReady(agent);
  t.is((await ask(port, '/')).body, 'backend');
  t.like(await record(agent, 'status'), { ready: true, serving: 'cached', config_version: 's1' });
  t.like(await record(agent, 'xds/status'), { connected: false, serving: 'cached' });
  t.is(find(/configuration taken from disk/).length, 1);

  const asking = keepAsking(port);
  await controlPlane.start();
  await eventually('the control plane', async () => (await record(agent, 'xds/status')).connected);
  const node = () => controlPlane.server.nodes.find('node-1');
  await eventually('the node to be in step', () => node()?.lastAckVersion === 's1');
  t.is(controlPlane.resourcesSent, 0);
  t.is((await record(agent, 'status')).serving, 'current');

  const other = await startBackend(t, 'other');
  controlPlane.publish('s2', [...resources.slice(0, 3), endpoints('c', other.port)]);
  await untilServes(port, 'other');
  const answers = await asking.end();
  t.deepEqual(Object.keys(answers), ['200']);

  // What came after it is kept as well.
  await eventually('s2 on disk', async () => (await record(agent, 'status')).cache.written_at !== null);
  await controlPlane.stop();
  await stop(agent);
  const third = await startAgent(t, controlPlane.address, { cache });
  await untilServes(port, 'other');
  t.like(await record(third, 'status'), { serving: 'cached', config_version: 's2' });
  t.is((await record(third, 'status')).listeners[0].name, listener.name);
});

thorough(test)('what was removed while the data plane was away is gone once the control plane is back', async (t) => {
  const { controlPlane, port, cache, resources } = await keptWorld(t);
  controlPlane.publish('s2', resources.slice(1));
  const agent = await startAgent(t, controlPlane.address, { cache });
  await untilReady(agent);
  await controlPlane.start();
  await eventually('s2', async () => (await record(agent, 'status')).config_version === 's2');
  t.deepEqual((await record(agent, 'status')).listeners, []);
  // Envoy closes the port when its threads have let go of the listener, a moment after it has acknowledged that.
  await eventually('the port to be closed', () =>
    ask(port, '/').then(
      () => false,
      ({ code }) => code === 'ECONNREFUSED',
    ),
  );
});

test('encrypted: nothing can be read, the right key serves, another one or none rejects traffic and says why', async (t) => {
  const keys = folder(t);
  const [keyFile, otherFile] = [join(keys, 'one'), join(keys, 'other')];
  for (const file of [keyFile, otherFile]) writeFileSync(file, randomBytes(48).toString('base64'));
  const { controlPlane, port, cache, file } = await keptWorld(t, { keyFile });
  const bytes = readFileSync(file);
  t.false(bytes.includes('envoy.config'));
  t.false(bytes.includes(`http/${port}`));

  const rejected = async (options: { readonly keyFile?: string }, reason: RegExp) => {
    const { logger, find } = logLines();
    const agent = await startAgent(t, controlPlane.address, {
      cache: { directory: cache.directory, ...options },
      logger,
    });
    t.regex(String(find(/is not used/)[0]?.reason), reason);
    t.is(find(/is not used/).length, 1);
    const readyz = await ask(agent.adminPort, '/readyz');
    t.is(readyz.status, 503);
    await t.throwsAsync(ask(port, '/'), { code: 'ECONNREFUSED' });
    t.is((await record(agent, 'status')).serving, 'none');
    await stop(agent);
  };
  await rejected({ keyFile: otherFile }, /written with another key/);
  await rejected({}, /it is encrypted, and dataplane.cache.keyFile is not set/);
  const agent = await startAgent(t, controlPlane.address, { cache });
  await untilServes(port, 'backend');
  t.is((await record(agent, 'status')).serving, 'cached');
});

thorough(test)(
  'a configuration older than maxAge is not served, and one that becomes so is served no longer',
  async (t) => {
    const { controlPlane, port, cache } = await keptWorld(t, { maxAgeMs: 30_000 });
    const { logger, find } = logLines();
    const agent = await startAgent(t, controlPlane.address, { cache, logger });
    await untilServes(port, 'backend');
    await eventually('the end of it', () => find(/is not used any more/).length > 0);
    await eventually('no answer', () =>
      ask(port, '/').then(
        () => false,
        () => true,
      ),
    );
    await eventually('another Envoy', async () => (await record(agent, 'status')).envoy.state !== '');
    t.like(await record(agent, 'status'), { ready: false, serving: 'none', config_version: null });
    await stop(agent);

    const late = await startAgent(t, controlPlane.address, { cache, logger });
    await eventually('Envoy to answer', async () => (await record(late, 'status')).envoy.state !== '');
    t.is((await ask(late.adminPort, '/readyz')).status, 503);
    await controlPlane.start();
    await untilServes(port, 'backend');
    // Envoy serves before it has answered for all that came.
    await untilReady(late);
    t.is((await record(late, 'status')).serving, 'current');
  },
);

thorough(test)(
  'a Gateway of another name, a damaged file, one of another version: not used, said in one line',
  async (t) => {
    const { controlPlane, cache, file } = await keptWorld(t);
    const original = readFileSync(file);
    const reasonOf = async (options: { readonly cluster?: string } = {}) => {
      const { logger, find } = logLines();
      const agent = await startAgent(t, controlPlane.address, { cache, logger, ...options });
      t.is((await record(agent, 'status')).config_version, null);
      await stop(agent);
      t.is(find(/is not used/).length, 1);
      return String(find(/is not used/)[0]?.reason);
    };
    t.regex(await reasonOf({ cluster: 'test/other' }), /it is for the Gateway test\/edge/);
    writeFileSync(file, original.toString('latin1').replace('gatewright-cache 1', 'gatewright-cache 9'), 'latin1');
    t.regex(await reasonOf(), /it is of format 9, and this agent reads 1/);
    const damaged = Buffer.from(original);
    damaged[Math.floor(damaged.length / 2)] = (damaged[Math.floor(damaged.length / 2)] as number) ^ 0xff;
    writeFileSync(file, damaged);
    t.regex(await reasonOf(), /it is damaged/);
    writeFileSync(file, 'hello\n');
    t.regex(await reasonOf(), /it is no such file/);
  },
);
