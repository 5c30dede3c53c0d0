import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { extract } from 'tar';
import { ask, chat, startAiWorld } from '../support/ai.ts';
import { runCommand } from '../support/command.ts';
import { untilFits } from '../support/until.ts';

const keys = ['sk-one', 'ak-two'];
/** In every form that a dump has bytes in. */
const planted = keys.flatMap((key) => [
  key,
  Buffer.from(key).toString('base64'),
  Buffer.from(`Bearer ${key}`).toString('base64'),
  Buffer.from(key).toString('hex'),
]);

test('no key of a provider and no prompt is in anything that users can read', async (t) => {
  const { gateway } = await startAiWorld(t);
  const prompt = 'a prompt that is never kept';
  t.is((await ask(gateway.port, { body: chat('gpt-4o', prompt) })).status, 200);
  t.is((await ask(gateway.port, { body: chat('claude-sonnet-4-5', prompt, { stream: true }) })).status, 200);
  const { layout1, metrics } = gateway.control.ports;
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-collected-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, 'all.tar.gz');
  await untilFits(
    'an archive with nothing missing',
    () =>
      runCommand(['collect', '-f', file, '--metrics', `http://127.0.0.1:${metrics}`], {
        GATEWRIGHT_SERVER: `http://127.0.0.1:${layout1}`,
      }),
    ({ code, stdout }) => code === 0 && !stdout.includes('not there'),
  );
  await extract({ file, cwd: directory });
  const collected = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.gz'))
    .map(({ parentPath, name }): [string, string] => [name, readFileSync(join(parentPath, name), 'utf8')]);
  const dump = collected.find(([name]) => name === 'config-dump.json')?.[1] ?? '';
  t.regex(dump, /credential_injector/, 'all that Envoy holds is in it');
  const paths = ['/v1/ai/services', '/v1/ai/traces', '/v1/resources/AIService', '/v1/resources/Secret', '/v1/snapshot'];
  const asked = await Promise.all(
    paths.map(async (path): Promise<[string, string]> => {
      const answer = await fetch(`http://127.0.0.1:${layout1}${path}`);
      return [path, await answer.text()];
    }),
  );
  const kept = readdirSync(gateway.stateDirectory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }): [string, string] => [name, readFileSync(join(parentPath, name), 'latin1')]);
  t.true(kept.some(([name]) => name.startsWith('ai-usage.sqlite')));
  const log: [string, string] = ['log', JSON.stringify(gateway.log)];
  for (const [name, text] of [...collected, ...asked, ...kept, log]) {
    for (const key of planted) t.false(text.includes(key), `${key} in ${name}`);
    t.false(text.includes(prompt), `the prompt in ${name}`);
    t.false(text.includes('Good day'), `the answer in ${name}`);
  }
});
