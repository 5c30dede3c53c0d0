import { pino } from 'pino';
import { systemClock } from '../../src/agent/clock.ts';
import { EnvoyProcess } from '../../src/agent/envoy/envoy-process.ts';
import { Backoff } from '../../src/std/index.ts';

// What an agent does about Envoy and nothing else, in a process of its own, to be killed. Arguments: Envoy, its bootstrap.

const [path = '', bootstrap = ''] = process.argv.slice(2);
const envoy = new EnvoyProcess({
  path,
  folder: process.cwd(),
  args: () => ['-c', bootstrap, '--disable-hot-restart', '--concurrency', '1', '-l', 'error'],
  logger: pino({ level: 'silent' }),
  clock: systemClock,
  backoff: new Backoff({ baseMs: 100, maxMs: 1000 }),
  prepare: async () => undefined,
});
process.on('message', () => process.send?.(envoy.pid));
await envoy.run();
