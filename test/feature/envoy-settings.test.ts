import { writeFileSync } from 'node:fs';
import test from 'ava';
import { pino } from 'pino';
import type { EnvoyChanges } from '../../src/agent/index.ts';
import { followEnvoySettings } from '../../src/app/data-plane/follow-envoy-settings.ts';
import { loadConfig } from '../../src/config/index.ts';
import { fileFor } from '../support/program.ts';
import { until } from '../support/until.ts';

test('Envoy settings of the file apply when it is edited; other keys and mistakes change nothing', async (t) => {
  const env = { ENVOY_PATH: process.execPath };
  const path = fileFor(t, 'dataplane: { cluster: a/b }\n');
  const changes: EnvoyChanges[] = [];
  const agent = { upgrade: async (change: EnvoyChanges) => void changes.push(change) };
  const logger = pino({ level: 'silent' });
  t.teardown(followEnvoySettings({ path, config: loadConfig(path, env), env, agent, logger, everyMs: 20 }));
  writeFileSync(path, 'dataplane: { cluster: a/b, adminListen: ":1234" }\n');
  writeFileSync(path, 'dataplane: { cluster: a/b, drainTime: often }\n');
  writeFileSync(path, 'dataplane: { cluster: a/b, drainTime: 20s, bootstrap: { flags_path: /x } }\n');
  await until('the change', () => changes.length > 0);
  t.like(changes, [{ drainTimeMs: 20_000, bootstrap: { flags_path: '/x' } }]);
  writeFileSync(path, 'dataplane: { cluster: a/b, logLevel: debug }\n');
  await until('the next', () => changes.length > 1);
  t.like(changes[1], { drainTimeMs: 10_000, logLevel: 'debug' });
  t.is(changes[1]?.bootstrap, undefined);
});
