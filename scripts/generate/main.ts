/**
 * Generates src/envoy/gen, src/gateway-api/gen and page/src/api/gen, and builds the page, each only if what it is made from has changed since; with `--force`
 * also the files that are generated and committed: pages of docs/, and parts of manifests/ and charts/.
 * usage: node scripts/generate/main.ts [--force | --check]
 * `--check` generates into temporary folders and fails where the present ones differ.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { crdDir, envoyPath, inferenceCrdDir, ownCrdDir, root, versions } from '../paths.mjs';
import { timed } from '../setup/progress.mjs';
import { locked, publish } from '../setup/publish.mjs';
import { findDifference, hashOf, isCurrent, markCurrent } from './inputs.ts';
import { packagingFiles } from './packaging.ts';
import { guideFiles, openApiFile, pageDir } from './page.ts';

/** Something that is generated. */
type Target = {
  readonly name: string;
  readonly folder: string;
  /** A hash of all that the result depends on. */
  readonly inputs: () => string;
  /** Loads its generator only when it runs: most often nothing has changed. Gives the number of sources. */
  readonly generate: (folder: string) => Promise<number>;
};

const generators = join(root, 'scripts/generate');
const ownProtos = join(root, 'src/envoy/proto');
const tools = join(root, 'node_modules/.bin');

const targets: readonly Target[] = [
  {
    name: 'Envoy types',
    folder: join(root, 'src/envoy/gen'),
    inputs: () => hashOf([generators, ownProtos], [versions.ENVOY, packageVersion('@bufbuild/protoc-gen-es')]),
    generate: async (outDir) => {
      const { generateEnvoyTypes } = await import('./envoy.ts');
      return generateEnvoyTypes({ envoy: envoyPath(), ownProtos, tools, outDir });
    },
  },
  {
    name: 'Gateway API types',
    folder: join(root, 'src/gateway-api/gen'),
    inputs: () =>
      hashOf(
        [generators, ownCrdDir],
        [versions.GATEWAY_API, versions.INFERENCE_EXTENSION, packageVersion('json-schema-to-typescript')],
      ),
    generate: async (outDir) => {
      const { generateGatewayApiTypes } = await import('./gateway-api.ts');
      return generateGatewayApiTypes([crdDir('experimental'), inferenceCrdDir(), ownCrdDir], outDir);
    },
  },
  {
    name: 'types of the page',
    folder: join(pageDir, 'src/api/gen'),
    inputs: () =>
      hashOf([generators], [readFileSync(openApiFile, 'utf8'), packageVersion('json-schema-to-typescript')]),
    generate: async (outDir) => {
      const { generatePageTypes } = await import('./page-types.ts');
      return generatePageTypes(outDir);
    },
  },
  {
    name: 'the page',
    folder: join(root, 'build/page'),
    inputs: () =>
      hashOf(
        [pageDir, join(root, 'src/contracts/words')],
        [
          'package-lock.json',
          'scripts/generate/page-guide.ts',
          'scripts/generate/page-build.ts',
          ...guideFiles().map((name) => `docs/${name}`),
        ].map((file) => readFileSync(join(root, file), 'utf8')),
      ),
    generate: async (outDir) => {
      const { buildPage } = await import('./page-build.ts');
      return buildPage(outDir);
    },
  },
];

function packageVersion(name: string): string {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version;
}

async function regenerate({ name, folder, inputs, generate }: Target, force: boolean): Promise<void> {
  const hash = inputs();
  if (!force && isCurrent(folder, hash)) return;
  await locked(`${folder}.lock`, async () => {
    if (!force && isCurrent(folder, hash)) return;
    await timed(`generating ${name}`, () =>
      publish(folder, async (temporary) => {
        await generate(temporary);
        markCurrent(temporary, hash);
      }),
    );
  });
}

async function check({ name, folder, generate }: Target): Promise<void> {
  const fresh = mkdtempSync(join(tmpdir(), 'gatewright-generated-'));
  try {
    await generate(fresh);
    const difference = findDifference(folder, fresh);
    if (difference === undefined) return;
    console.error(`${name}: ${difference} is not what its generator makes; run: npm run generate`);
    process.exitCode = 1;
  } finally {
    rmSync(fresh, { recursive: true });
  }
}

/** rbac/, with rights over the kinds that are read and over those that the admin API writes. */
function rightsFiles(): Readonly<Record<string, () => Promise<string>>> {
  const file = (name: string) => readFileSync(join(root, name), 'utf8');
  return {
    'rbac/control-plane.yaml': async () => {
      const [{ readingRights, withRights }, { kinds }] = await Promise.all([
        import('./rbac.ts'),
        import('../../src/gateway-api/index.ts'),
      ]);
      return withRights(file('rbac/control-plane.yaml'), readingRights(Object.values(kinds)));
    },
    'rbac/resource-writer.yaml': async () => {
      const [{ withRights, writingRights }, { managedKinds }] = await Promise.all([
        import('./rbac.ts'),
        import('../../src/admin/managed-resources/managed-kinds.ts'),
      ]);
      return withRights(file('rbac/resource-writer.yaml'), writingRights(managedKinds));
    },
    'rbac/people-roles.yaml': async () => (await import('./people-roles.ts')).peopleRolesFile(),
  };
}

for (const target of targets) {
  if (process.argv.includes('--check')) await check(target);
  else await regenerate(target, process.argv.includes('--force'));
}

/**
 * Committed files, those before others that are made from them. Their generators may need what was generated above, so each is loaded only when
 * it runs: on a fresh machine nothing is generated yet.
 */
const committed: Readonly<Record<string, () => Promise<string>>> = {
  ...rightsFiles(),
  'docs/gateway-api.md': async () => (await import('./features-page.ts')).featuresPage(versions.GATEWAY_API),
  'docs/config.schema.json': async () => (await import('./config-schema.ts')).configSchemaFile(),
  'docs/policy-groups.md': async () => (await import('./policy-groups-page.ts')).policyGroupsPage(),
  'docs/ingress-nginx-annotations.md': async () => (await import('./migration-page.ts')).migrationPage(),
  'docs/configuration.md': async () => (await import('./config-page.ts')).configPage(),
  'docs/openapi.yaml': async () => (await import('./openapi.ts')).openApiYaml(),
  'docs/problems.md': async () => (await import('./problems-page.ts')).problemsPage(),
  'docs/managed-resources.md': async () =>
    (await import('./managed-kinds.ts')).withManagedKinds(
      readFileSync(join(root, 'docs/managed-resources.md'), 'utf8'),
    ),
  'docs/metrics.md': async () => (await import('./metrics-page.ts')).metricsPage(),
  ...packagingFiles(),
};
const [isForced, isCheck] = ['--force', '--check'].map((flag) => process.argv.includes(flag));
for (const [name, make] of Object.entries(isForced || isCheck ? committed : {})) {
  const file = join(root, name);
  const desired = await make();
  if (isForced) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, desired);
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== desired) {
    console.error(`${name} is not what its generator makes; run: npm run generate`);
    process.exitCode = 1;
  }
}
