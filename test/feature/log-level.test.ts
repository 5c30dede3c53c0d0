import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import test from 'ava';
import { followLogLevel } from '../../src/app/process/follow-log-level.ts';
import { createLogger, LevelSwitch } from '../../src/telemetry/index.ts';
import { fileFor } from '../support/program.ts';

/** Everything that is logged, line by line, with a way to wait for one. */
class Lines extends Writable {
  readonly all: Record<string, unknown>[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    for (const line of chunk.toString().split('\n').filter(Boolean)) this.all.push(JSON.parse(line));
    this.emit('line');
    done();
  }

  /** Until a line has that text, and was said of that level if one is given. */
  async until(text: string, to?: string): Promise<void> {
    const fits = (line: Record<string, unknown>) =>
      String(line.msg).includes(text) && (to === undefined || line.to === to);
    while (!this.all.some(fits)) await once(this, 'line');
  }
}

test('a level that is changed in the file counts for every logger there is, and a broken file for none', async (t) => {
  const path = fileFor(t, 'log: {level: info}');
  // As a whole, like a ConfigMap; half a file would be another change.
  const write = (text: string) => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  const lines = new Lines();
  const levels = new LevelSwitch();
  const logger = createLogger({ destination: lines, levels });
  const grandchild = logger.child({ component: 'xds' }).child({ node_id: 'a' });
  // What follows the file keeps no process alive.
  const alive = setInterval(() => {}, 1000);
  t.teardown(() => clearInterval(alive));
  t.teardown(followLogLevel({ path, level: 'info', env: {}, levels, logger, everyMs: 20 }));
  grandchild.debug('too fine');
  write('log: {level: debug}');
  await lines.until('log level changed', 'debug');
  grandchild.debug('now wanted');
  write('log: {level: loud, and: more}');
  await lines.until('not usable');
  grandchild.debug('still wanted');
  write('log: {level: warn}   # less');
  await lines.until('log level changed', 'warn');
  logger.child({}).info('too fine again');
  const said = lines.all.map(({ msg }) => msg);
  t.true(said.includes('now wanted') && said.includes('still wanted'));
  t.false(said.some((msg) => String(msg).startsWith('too fine')));
});
