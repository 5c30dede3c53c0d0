import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { example } from '../../examples/quickstart/example.ts';
import { startExample } from '../../scripts/example/gateway.ts';
import type { RunningExample } from '../../scripts/example/running-example.ts';
import { createLogger } from '../../src/telemetry/index.ts';
import { type ReaderFolder, readerFolder } from '../support/doc-commands/reader-folder.ts';
import { blocksIn, runScript, scriptOf } from '../support/doc-commands/run-block.ts';
import { endings } from '../support/endings.ts';

// Commands of the documentation, as it has them, beside the gateway that `npm start` starts: on free ports here.

const test = anyTest as TestFn<{ running: RunningExample; reader: ReaderFolder }>;
const all = endings(test);

test.before(async (t) => {
  t.timeout(600_000);
  const logger = createLogger({ level: 'silent' });
  const running = await startExample({ name: 'quickstart', example, logger, inPlace: false });
  all.teardown(() => running.stop());
  const reader = readerFolder(all);
  cpSync(join(reader.directory, 'examples/quickstart'), join(reader.directory, 'my-resources'), { recursive: true });
  writeFileSync(join(reader.directory, 'token'), 'a.b.c\n');
  writeFileSync(join(reader.directory, 'config.yaml'), 'log: {level: info}\n');
  t.context = { running, reader };
});

for (const planned of blocksIn('files')) {
  const { page, commands } = planned.block;
  test.serial(`${page}: ${commands[0]}`, async (t) => {
    t.timeout(600_000);
    const { running, reader } = t.context;
    const script = scriptOf(planned).replaceAll(':8080', `:${running.ports.get(8080)}`);
    const env = { ...reader.env, GATEWRIGHT_SERVER: `http://127.0.0.1:${running.control.ports.layout1}` };
    const { code, output } = await runScript(script, reader.directory, env);
    t.is(code, 0, output);
  });
}
