import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { componentLogger, createLogger, type LoggerOptions } from '../../../src/telemetry/index.ts';

/** A logger and the lines it wrote. */
function collect(options: LoggerOptions = {}) {
  const lines: string[] = [];
  const logger = createLogger({ ...options, destination: { write: (line) => lines.push(line) } });
  return { lines, logger };
}

test('a line is JSON with an ISO time, the level as a word and the component', (t) => {
  const { lines, logger } = collect();
  componentLogger(logger, 'xds').info({ node_id: 'edge-1' }, 'dataplane connected');
  const line = JSON.parse(lines[0] ?? '');
  t.like(line, { level: 'info', component: 'xds', node_id: 'edge-1', msg: 'dataplane connected' });
  t.regex(line.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('what is below the level is not written', (t) => {
  const { lines, logger } = collect({ level: 'warn' });
  logger.info('quiet');
  logger.warn('loud');
  t.is(lines.length, 1);
});

test('fields that are secret by name are redacted', (t) => {
  const { lines, logger } = collect();
  logger.info(
    { token: 'planted', req: { headers: { authorization: 'planted' } }, tls: { privateKey: 'planted' } },
    'x',
  );
  t.notRegex(lines[0] ?? '', /planted/);
  t.regex(lines[0] ?? '', /"token":"\[redacted\]"/);
});

test('the pretty form is one line for people', (t) => {
  const { lines, logger } = collect({ format: 'pretty' });
  componentLogger(logger, 'admin').warn({ port: 18081, path: 'a b' }, 'listening');
  t.regex(lines[0] ?? '', /^\d\d:\d\d:\d\d\.\d{3} WARN {2}admin: listening port=18081 path="a b"\n$/);
});

test('the pretty form shows the stack of an error', (t) => {
  const { lines, logger } = collect({ format: 'pretty' });
  logger.error(new Error('broken'), 'build failed');
  t.regex(lines[0] ?? '', /ERROR build failed \nError: broken\n {4}at /);
});

test('a full disk behind standard output costs lines, not the program', async (t) => {
  const telemetry = fileURLToPath(new URL('../../../src/telemetry/index.ts', import.meta.url));
  const program = `
    import { createLogger } from ${JSON.stringify(telemetry)};
    const logger = createLogger();
    logger.info('lost');
    setImmediate(() => setImmediate(() => createLogger().info('lost too')));
  `;
  const full = openSync('/dev/full', 'w');
  t.teardown(() => closeSync(full));
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', full, 'pipe'] });
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words += text;
  });
  const [code] = await once(child, 'close');
  t.is(code, 0, words);
});
