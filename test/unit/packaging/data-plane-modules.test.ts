import test from 'ava';
import { modulesBehind } from '../../../scripts/bundle.ts';
import { testProgramMetafile } from '../../../scripts/test-program.ts';

// There is one agent for each proxy: what it loads and never needs is memory, as often as there are proxies.

/** Of src, what an agent is made of; see scripts/import-rules.ts. */
const own =
  /^src\/(?:app\/data-plane|app\/process|agent|config|telemetry|contracts|envoy\/wire|xds\/methods|passwords|admin\/http|std|egress|yaml)\//;

const heavy = [
  '@kubernetes/client-node',
  '@dot-i/k8s-operator',
  '@modelcontextprotocol/server',
  '@peculiar/x509',
  '@pydantic/genai-prices',
  '@bufbuild/cel',
  '@bufbuild/re2',
  '@bufbuild/protobuf/dist/esm/wkt/gen',
  '@koa/bodyparser',
  'ajv',
  'bcryptjs',
  'tar',
];

test('the agent loads nothing of the control plane, no descriptors of Envoy, and no package that only others need', async (t) => {
  const modules = modulesBehind('src/app/data-plane/index.ts', await testProgramMetafile());
  t.true(modules.includes('src/agent/data-plane-agent.ts'), 'what is looked at is the agent');
  const sources = modules.filter((path) => path.startsWith('src/'));
  t.deepEqual(
    sources.filter((path) => !own.test(path)),
    [],
  );
  const packages = modules.filter((path) => heavy.some((name) => path.includes(`node_modules/${name}/`)));
  t.deepEqual(packages, []);
  // `import { z }` has the words of fifty languages come along; `import * as z` does not.
  const languages = modules.flatMap((path) => /zod\/v4\/locales\/(?<name>[\w-]+)\.js$/.exec(path)?.groups?.name ?? []);
  t.deepEqual(languages, ['en']);
});

test('the control plane, held against the same list, is another matter', async (t) => {
  const modules = modulesBehind('src/app/operator/index.ts', await testProgramMetafile());
  t.true(modules.some((path) => path.startsWith('src/envoy/gen/')));
  t.true(modules.some((path) => path.includes('node_modules/ajv/')));
});

test('a control plane reads nothing of what it never calls, nor prices before it needs them', async (t) => {
  const metafile = await testProgramMetafile();
  const modules = ['src/app/operator/index.ts', 'src/app/addons/build-add-ons.ts'].flatMap((entry) =>
    modulesBehind(entry, metafile),
  );
  t.true(modules.some((path) => path.includes('node_modules/raw-body/')));
  const unused = ['@grpc/proto-loader', '@pydantic/genai-prices', 'gaxios', 'iconv-lite', 'protobufjs'];
  t.deepEqual(
    modules.filter((path) => unused.some((name) => path.includes(`node_modules/${name}/`))),
    [],
  );
});

test('files of the program require modules of Node: an import has Node read all that a module exports', async (t) => {
  const { outputs } = await testProgramMetafile();
  const imports = Object.values(outputs).flatMap((file) => file.imports);
  t.true(imports.some(({ kind, path }) => kind === 'require-call' && path === 'node:http2'));
  t.deepEqual(
    imports.filter(({ kind, external }) => kind === 'import-statement' && external),
    [],
  );
});
