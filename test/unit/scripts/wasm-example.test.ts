import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';
import { root } from '../../../scripts/paths.mjs';
import { assembled } from '../../support/wasm.ts';

const folder = join(root, 'examples/wasm');

test('the module of the example wasm is made of the source beside it', async (t) => {
  const { binaryData } = parse(readFileSync(join(folder, 'module.yaml'), 'utf8')) as {
    readonly binaryData: Readonly<Record<string, string>>;
  };
  const made = await assembled(readFileSync(join(folder, 'module/tenants.wat'), 'utf8'));
  t.is(binaryData['tenants.wasm'], Buffer.from(made).toString('base64'));
});
