import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { root } from '../../scripts/paths.mjs';

const names = readdirSync(join(root, 'examples')).filter((name) =>
  existsSync(join(root, 'examples', name, 'example.ts')),
);

// As `npm run example -- NAME` does, on free ports. One after the other: each has an Envoy and backends of its own.
for (const name of names) {
  test.serial(`the example ${name} answers as it says`, async (t) => {
    t.timeout(600_000);
    const child = spawn(process.execPath, ['scripts/example.ts', name], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    t.teardown(() => child.kill());
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    const [code] = await once(child, 'close');
    t.is(code, 0, output);
  });
}
