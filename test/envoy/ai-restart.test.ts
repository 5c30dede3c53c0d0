import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { loadConfig } from '../../src/config/index.ts';
import { ask, chat, reportsOf, startAiWorld } from '../support/ai.ts';
import { untilFits } from '../support/until.ts';

test('reports know after a restart what they knew before', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-ai-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const { state } = loadConfig(undefined, {});
  const options = { config: { state: { ...state, directory } } };
  const first = await startAiWorld(t, { options });
  const used = { input: 40, output: 2 };
  await ask(first.gateway.port, { body: chat('gpt-4o', { used }) });
  const before = await untilFits(
    'it to be reported',
    () => reportsOf(first.gateway).overview(),
    ({ totalTokens, totalRequests }) => totalTokens === 42 && totalRequests === 1,
  );
  await first.gateway.stop();
  const second = await startAiWorld(t, { options });
  const after = await reportsOf(second.gateway).overview();
  t.deepEqual({ ...after, window: 0 }, { ...before, window: 0 } as never);
  t.is((await reportsOf(second.gateway).traces()).items.length, 1);
});
