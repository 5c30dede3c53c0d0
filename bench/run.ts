/**
 * Runs one of the benches by name: `npm run bench -- NAME ARGUMENT…`, and lists them without a name. Each prints a line of JSON for each
 * figure; its own file says what the figure is and what it needs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const benches: Readonly<Record<string, string>> = {
  'envoy-floor': 'envoy-floor/main.ts',
  limits: 'limits/main.ts',
  peer: 'peer/main.ts',
  churn: 'peer/churn.ts',
  steady: 'peer/steady.ts',
  'failed-requests': 'failures/main.ts',
  endpoints: 'endpoints/main.ts',
  'fan-out': 'fan-out/main.ts',
  scale: 'host/scale.ts',
  'listener-sets': 'host/listener-sets.ts',
  'one-host': 'host/one-host.ts',
  start: 'start/main.ts',
  idle: 'idle/main.ts',
  'node-floor': 'node-floor/main.ts',
  'attached-routes': 'host/attached-routes.ts',
  foreign: 'host/foreign.ts',
  'admin-lists': 'admin/lists.ts',
  'admin-at-scale': 'admin/at-scale.ts',
  agent: 'agent/main.ts',
  sessions: 'sessions/main.ts',
  traffic: 'traffic/main.ts',
  waf: 'waf/main.ts',
  'admin-readers': 'admin/readers.ts',
  'apply-to-200': 'cluster/apply-to-200.ts',
  'deployment-rollouts': 'cluster/deployment-rollouts.ts',
  outages: 'cluster/outages/main.ts',
  attack: 'attack/main.ts',
  fuzz: 'fuzz/main.ts',
  chaos: 'chaos/main.ts',
  soak: 'soak/main.ts',
  upgrade: 'upgrade/main.ts',
  page: 'page/main.ts',
  'access-model': 'access-model/main.ts',
  access: 'access/main.ts',
  'access-tables': 'access/tables.ts',
  'access-memory': 'access/memory.ts',
  geoip: 'geoip/main.ts',
  inference: 'inference/main.ts',
};

const end = new URL('support/end.ts', import.meta.url).href;
const [name = '', ...parameters] = process.argv.slice(2);
const file = benches[name];
if (file) {
  const child = spawn(process.execPath, ['--import', end, join(import.meta.dirname, file), ...parameters], {
    stdio: 'inherit',
  });
  // A terminal's own signals reach the bench, too, which ends by the first.
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [status] = await once(child, 'exit');
  process.exitCode = status ?? 1;
} else {
  const lines = Object.entries(benches).map(([known, path]) => `\n  ${known}\n${aboutOf(path)}`);
  process.stdout.write(`usage: npm run bench -- NAME ARGUMENT…\n${lines.join('')}`);
  process.exitCode = name === '' ? 0 : 1;
}

/** The comment at the top of a bench's file. */
function aboutOf(path: string): string {
  const [, comment = ''] = /^\/\*\*\n([\s\S]*?)\*\//.exec(readFileSync(join(import.meta.dirname, path), 'utf8')) ?? [];
  return comment
    .replace(/^ \* ?/gm, '    ')
    .trimEnd()
    .concat('\n');
}
