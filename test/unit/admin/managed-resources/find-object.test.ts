import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { findObject } from '../../../../src/admin/managed-resources/directory/find-object.ts';
import { kinds } from '../../../../src/gateway-api/index.ts';
import type { LiveDirectory, ManifestReader } from '../../../../src/sources/index.ts';

test('of files that may have an object only those are read that have its name by itself', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'gatewright-find-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const texts = {
    'block.yaml': 'metadata:\n  name: r1\n',
    'json.json': '{"metadata":{"name":"r1"}}',
    'quoted.yaml': "metadata: {name: 'r1', namespace: a}\n",
    'end.yaml': 'name: r1',
    'twice.yaml': 'name: r12\nother: r1\n',
    'longer.yaml': 'name: r12\n',
    'suffix.yaml': 'name: pair-r1\nhost: r1.example.com\n',
    'none.yaml': 'name: web\n',
  };
  const paths = Object.entries(texts).map(([name, text]) => {
    writeFileSync(join(directory, name), text);
    return join(directory, name);
  });
  const parsed: string[] = [];
  const reader = {
    find: async (text: string) => {
      parsed.push(text);
      return undefined;
    },
  } as unknown as ManifestReader;
  const live = { filesOf: () => [], files: async () => paths } as unknown as LiveDirectory;
  await findObject(live, { kind: kinds.HTTPRoute, namespace: 'a', name: 'r1' }, reader);
  t.deepEqual(parsed.sort(), Object.values(texts).slice(0, 5).sort());
});
