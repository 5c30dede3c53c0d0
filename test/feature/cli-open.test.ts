import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { startAdmin } from '../support/admin.ts';
import { fileFor, runProgram } from '../support/program.ts';
import { until } from '../support/until.ts';

test('open starts the browser with an address that has no token, and dashboard is the same command', async (t) => {
  const admin = await startAdmin();
  t.teardown(() => admin.close());
  const browser = fileFor(t, '#!/bin/sh\necho "$@" >> "$(dirname "$0")/opened"\n', 'browser');
  chmodSync(browser, 0o755);
  const url = `http://127.0.0.1:${admin.ports.layout1}`;
  const env = { GATEWRIGHT_SERVER: url, GATEWRIGHT_TOKEN: 'hush-token', BROWSER: browser };
  for (const command of ['open', 'dashboard']) {
    const { code, stdout, stderr } = await runProgram([command], env);
    t.is(code, 0, stderr);
    t.is(stdout, `${url}/docs\n`);
    t.false(stderr.includes('hush'));
  }
  const opened = join(browser, '..', 'opened');
  await until('the browser', () => existsSync(opened) && readFileSync(opened, 'utf8').split('\n').length === 3);
  t.is(readFileSync(opened, 'utf8'), `${url}/docs\n${url}/docs\n`);
  const none = await runProgram(['open'], { ...env, BROWSER: '/nowhere' });
  t.is(none.code, 0);
  t.regex(none.stderr, /no browser can be started here/);
});

test('open says what to do when nothing answers', async (t) => {
  const { code, stderr } = await runProgram(['open', '--server', 'http://127.0.0.1:1']);
  t.is(code, 2);
  t.regex(stderr, /cannot reach the admin API at http:\/\/127\.0\.0\.1:1: .*; is the control plane running\?/);
});
