import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test from 'ava';
import { findForbiddenImports } from '../../../scripts/check-imports.ts';
import { importRules } from '../../../scripts/import-rules.ts';

const RULES = {
  ir: { any: [] },
  translate: { any: ['ir'] },
  xds: { any: ['ir'], types: ['translate'] },
  agent: { any: ['xds/methods'] },
  'addons/ai': { any: ['ir'] },
  'addons/mcp': { any: ['addons/ai', 'graph'] },
  graph: { any: ['ir'] },
  'graph/engine': { any: ['ir'] },
  controllers: { any: ['controllers/*'] },
  'controllers/*': { any: ['ir', 'controllers/policies'] },
  'controllers/policies': { any: [] },
  app: { any: 'all' },
} as const;

const faultsOf = test.macro((t, files: Record<string, string>, expected: readonly string[]) => {
  const root = mkdtempSync(join(tmpdir(), 'gatewright-imports-'));
  t.teardown(() => rmSync(root, { recursive: true }));
  for (const [file, source] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), source);
  }
  t.deepEqual(findForbiddenImports(root, RULES), expected);
});

test(
  'an allowed import of a public face',
  faultsOf,
  { 'src/translate/a.ts': "import { a } from '../ir/index.ts';" },
  [],
);

test(
  'packages and files of the same folder are no concern',
  faultsOf,
  { 'src/ir/deep/a.ts': "import 'yaml';\nimport '../b.ts';" },
  [],
);

test(
  'a direction that is not in the table',
  faultsOf,
  { 'src/ir/a.ts': "\nimport {\n  b,\n} from '../translate/index.ts';" },
  ['src/ir/a.ts:2: src/ir may not import src/translate'],
);

test(
  'deeper than the public face',
  faultsOf,
  {
    'src/translate/a.ts': "export * from '../ir/listener.ts';",
    'bin/b.ts': "import { a } from '../src/ir/listener.ts';",
  },
  [
    'src/translate/a.ts:1: imports src/ir/listener.ts, deeper than src/ir/index.ts',
    'bin/b.ts:1: imports src/ir/listener.ts, deeper than src/ir/index.ts',
  ],
);

test(
  'types only, where only types are allowed',
  faultsOf,
  {
    'src/xds/a.ts': "import type { A } from '../translate/index.ts';",
    'src/xds/b.ts': "import { b } from '../translate/index.ts';",
  },
  ['src/xds/b.ts:1: src/xds may import types only from src/translate'],
);

test(
  'a part with a face of its own, and what is beside it',
  faultsOf,
  {
    'src/agent/a.ts': "import { a } from '../xds/methods/index.ts';",
    'src/agent/b.ts': "import { b } from '../xds/index.ts';",
    'src/agent/c.ts': "import { c } from '../xds/methods/c.ts';",
    'src/agent/d.ts': "import { d } from '../xds/other/index.ts';",
  },
  [
    'src/agent/b.ts:1: src/agent may not import src/xds',
    'src/agent/c.ts:1: imports src/xds/methods/c.ts, deeper than src/xds/index.ts',
    'src/agent/d.ts:1: imports src/xds/other/index.ts, deeper than src/xds/index.ts',
  ],
);

test(
  'a room inside of a folder has its own rule and face',
  faultsOf,
  {
    'src/addons/mcp/a.ts': "import { a } from '../ai/index.ts';",
    'src/addons/ai/deep/b.ts': "import { b } from '../../mcp/index.ts';",
    'src/addons/mcp/c.ts': "import { c } from '../ai/deep/b.ts';",
    'src/ir/d.ts': "import { d } from '../addons/ai/index.ts';",
    'src/addons/web/e.ts': "import { e } from '../ai/index.ts';",
  },
  [
    'src/addons/ai/deep/b.ts:1: src/addons/ai may not import src/addons/mcp',
    'src/addons/mcp/c.ts:1: imports src/addons/ai/deep/b.ts, deeper than src/addons/ai/index.ts',
    'src/addons/web/e.ts:1: src/addons has no rule in scripts/import-rules.ts',
    'src/ir/d.ts:1: src/ir may not import src/addons/ai',
  ],
);

test(
  'a room inside of another room, and files beside it',
  faultsOf,
  {
    'src/graph/graph.ts': "import { e } from './engine/index.ts';",
    'src/graph/engine/a.ts': "import { g } from '../index.ts';",
    'src/addons/mcp/a.ts': "import { e } from '../../graph/engine/index.ts';",
  },
  [
    'src/addons/mcp/a.ts:1: src/addons/mcp may not import src/graph/engine',
    'src/graph/engine/a.ts:1: src/graph/engine may not import src/graph',
    'src/graph/graph.ts:1: src/graph may not import src/graph/engine',
  ],
);

test(
  'rooms that share one rule, which do not import each other',
  faultsOf,
  {
    'src/controllers/gateway/a.ts': "import { b } from '../httproute/index.ts';",
    'src/controllers/gateway/b.ts': "import { c } from '../policies/index.ts';",
    'src/controllers/registry.ts': "import { d } from './gateway/index.ts';\nimport { e } from './gateway/a.ts';",
    'src/controllers/unheard-of/c.ts': "import { f } from '../../ir/index.ts';",
  },
  [
    'src/controllers/gateway/a.ts:1: src/controllers/gateway may not import src/controllers/httproute',
    'src/controllers/registry.ts:2: imports src/controllers/gateway/a.ts, deeper than src/controllers/gateway/index.ts',
  ],
);

test('a dynamic import', faultsOf, { 'src/ir/a.ts': "const b = await import('../xds/index.ts');" }, [
  'src/ir/a.ts:1: src/ir may not import src/xds',
]);

test(
  'bin may import every public face, and comments import nothing',
  faultsOf,
  {
    'bin/a.ts':
      "import { a } from '../src/xds/index.ts';\n// import '../src/xds/b.ts';\n/** import '../src/xds/b.ts' */",
  },
  [],
);

test(
  'the room that may import all others, by their faces',
  faultsOf,
  {
    'src/app/a.ts': "import { a } from '../addons/ai/index.ts';\nimport { b } from '../xds/methods/index.ts';",
    'src/app/b.ts': "import { b } from '../ir/b.ts';",
    'src/xds/c.ts': "import { c } from '../app/index.ts';",
  },
  [
    'src/app/b.ts:1: imports src/ir/b.ts, deeper than src/ir/index.ts',
    'src/xds/c.ts:1: src/xds may not import src/app',
  ],
);

test(
  'a folder without a rule, and a way out of src',
  faultsOf,
  {
    'src/other/a.ts': "import { a } from '../ir/index.ts';",
    'src/ir/b.ts': "import { b } from '../../bin/b.ts';",
  },
  [
    'src/ir/b.ts:1: src/ir may not import bin/b.ts, which is outside of src',
    'src/other/a.ts:1: src/other has no rule in scripts/import-rules.ts',
  ],
);

function neighboursOf(room: string): readonly string[] {
  const { any = [] } = importRules[room] ?? {};
  if (any === 'all') return Object.keys(importRules).filter((other) => other !== room);
  // `xds/methods` is a face of `xds`.
  return any.map((face) => (face in importRules ? face : dirname(face)));
}

test('the real table has no cycle', (t) => {
  const visit = (folder: string, path: readonly string[]): void => {
    t.false(path.includes(folder), `${[...path, folder].join(' → ')}`);
    if (path.includes(folder)) return;
    for (const next of neighboursOf(folder)) visit(next, [...path, folder]);
  };
  for (const folder of Object.keys(importRules)) visit(folder, []);
});

test('add-ons are handed in by app, and no other room needs one', (t) => {
  const users = Object.entries(importRules).filter(
    ([room, { any, types = [] }]) =>
      !room.startsWith('addons/') && any !== 'all' && [...any, ...types].some((face) => face.startsWith('addons/')),
  );
  t.deepEqual(
    users.map(([room]) => room),
    [],
  );
});
