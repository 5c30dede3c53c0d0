import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { FileSettings, isMask, mask, SettingsError } from '../../../../src/addons/settings/index.ts';

function newDirectory(t: ExecutionContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-settings-'));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'state');
}

test('what was written is read, also by the next process, and only by its owner', async (t) => {
  const directory = newDirectory(t);
  t.is(await new FileSettings(directory).read('chatbot'), undefined);
  await new FileSettings(directory).write('chatbot', { apiKey: 'one' });
  await new FileSettings(directory).write('chatbot', { apiKey: 'two' });
  t.deepEqual(await new FileSettings(directory).read('chatbot'), { apiKey: 'two' });
  t.deepEqual(readdirSync(directory), ['chatbot.json']);
  t.is(statSync(join(directory, 'chatbot.json')).mode & 0o777, 0o600);
  t.is(statSync(directory).mode & 0o777, 0o700);
});

test('a broken file is named, with what to do', async (t) => {
  const directory = newDirectory(t);
  const settings = new FileSettings(directory);
  await settings.write('chatbot', {});
  writeFileSync(join(directory, 'chatbot.json'), '{"apiKey": ');
  const error = await t.throwsAsync(settings.read('chatbot'), { instanceOf: SettingsError });
  t.regex(error?.message ?? '', /chatbot\.json cannot be read: .*; remove the file, and set it again/);
});

test('a place that cannot be written is named', async (t) => {
  const directory = newDirectory(t);
  writeFileSync(directory, 'a file');
  const error = await t.throwsAsync(new FileSettings(directory).write('chatbot', {}), { instanceOf: SettingsError });
  t.regex(error?.message ?? '', /chatbot\.json cannot be written/);
});

test('of a secret its last four characters are shown, of a short one nothing', (t) => {
  t.is(mask('sk-1234567890abcd'), '********abcd');
  t.is(mask('1234567'), '********');
  t.is(mask(''), '');
  t.true(isMask(mask('12345678')));
  t.false(isMask('sk-1234567890abcd'));
});
