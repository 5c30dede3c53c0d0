/**
 * Bundles the program for an image: one folder of JavaScript with the packages it uses, and nothing else. A process starts in a third of
 * the time that hundreds of modules take, each read and rid of its types on its own, and that is what a new proxy waits for.
 * usage: node scripts/bundle.ts [DIRECTORY]      default: build/app
 */
import { cp, readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin, stop } from 'esbuild';
import { koaBodies } from './bundle/koa-bodies.ts';
import { bundleLateLibraries, lateLibraries } from './bundle/late-libraries.ts';
import { leftOut, noClientRequests } from './bundle/left-out.ts';
import { nodeModules } from './bundle/node-modules.ts';
import { completePackage } from './bundle/npm-package.ts';
import { ownCrdDir, root } from './paths.mjs';

/** CommonJS packages in a module still ask for it. A file of ours may have a `process` of its own, which esbuild does not look for here. */
const banner = `const require = globalThis.process.getBuiltinModule('node:module').createRequire(import.meta.url);`;

const common = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  legalComments: 'none',
  logLevel: 'warning',
} as const;

/** Names stay as they are, for stack traces. */
const minified = { minifyWhitespace: true, minifySyntax: true };

/**
 * Fills `directory`, which is emptied first; `bin/gatewright.js` is what to run. The folder is an npm package, too.
 *
 * @param minify without it a stack trace has lines that people can read
 * @returns what it consists of
 */
export async function bundle(directory: string, { minify = true } = {}): Promise<Metafile> {
  await rm(directory, { recursive: true, force: true });
  const size = minify ? minified : {};
  const { metafile } = await build({ ...optionsFor(directory), ...size, metafile: true });
  await build({
    ...common,
    ...size,
    entryPoints: [join(import.meta.dirname, 'bundle/kubernetes-client.ts')],
    outfile: join(directory, 'bin', lib, slimClient),
    format: 'cjs',
    plugins: [noClientRequests, definitionsOnly],
  });
  await bundleLateLibraries(join(directory, 'bin', lib), { ...common, ...size });
  // Its process would wait for the next build as long as ours lives.
  await stop();
  const isDefinition = (path: string) => path === ownCrdDir || path.endsWith('.yaml');
  await cp(ownCrdDir, join(directory, 'crds'), { recursive: true, filter: isDefinition });
  // The chatbot answers from them.
  for (const part of ['docs', 'examples'])
    await cp(join(root, part), join(directory, part), { recursive: true, filter: isRead });
  const isServed = (path: string) => basename(path) !== '.inputs';
  await cp(join(root, 'build/page'), join(directory, 'page'), { recursive: true, filter: isServed });
  await completePackage(directory);
  return metafile;
}

/** What the chatbot reads: folders, pages and manifests. */
const isRead = (path: string): boolean => !basename(path).includes('.') || /\.(md|yaml)$/.test(path);

/** Sources of which at least a part would be in a bundle of the program `entry`. Packages are not read: that is most of what a bundle takes. */
export async function modulesOf(entry: string): Promise<readonly string[]> {
  const { metafile } = await build({
    ...optionsFor('build/unwritten', entry),
    ...minified,
    packages: 'external',
    write: false,
    metafile: true,
  });
  await stop();
  return Object.values(metafile.outputs).flatMap(({ inputs }) => usedOf(inputs));
}

/** Of which something is left after what nothing uses was taken out. */
const usedOf = (inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>): string[] =>
  Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));

/**
 * What a process keeps in memory that has loaded what is behind `entry`, a file of src/app that a command imports: paths of our sources and of packages, of which at least a part
 * has come into the bundle. What is loaded later, by another `import()`, is not among it.
 */
export function modulesBehind(entry: string, { outputs }: Metafile): string[] {
  const [start] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint?.endsWith(entry)) ?? [];
  if (start === undefined) throw new Error(`no command imports ${entry}`);
  const loaded = new Set([start]);
  for (const path of loaded) {
    for (const { kind, external, path: next } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && !external) loaded.add(next);
  }
  return [...loaded].flatMap((path) => usedOf(outputs[path]?.inputs ?? {}));
}

function optionsFor(directory: string, entry = 'bin/gatewright.ts'): BuildOptions {
  return {
    ...common,
    entryPoints: [
      { in: join(root, entry), out: 'gatewright' },
      ...threadFiles.map(({ folder, file }) => ({ in: join(root, folder, `${file}.ts`), out: `${lib}/${file}` })),
    ],
    outdir: join(directory, 'bin'),
    // Each command of the program keeps what only it needs in files of its own.
    splitting: true,
    chunkNames: `${lib}/[name]-[hash]`,
    format: 'esm',
    banner: { js: banner },
    plugins: [slimClientLibrary, lateLibraries, leftOut, koaBodies, nodeModules, threads],
    absWorkingDir: root,
  };
}

/**
 * The Kubernetes client library has a class for every resource of every API, 5 MB of them, and its serializer knows all: a program that
 * has loaded one has loaded all. Ours asks the API server with its own transport (src/kube) and needs who to ask and as whom, which is
 * `KubeConfig`. So the operator and its framework get `kubernetes-client.ts` in the library's place, as a file of its own that is loaded
 * when first asked for; commands that use more find all of it in the files that only they load.
 */
const slimClientLibrary: Plugin = {
  name: 'Kubernetes client library',
  setup({ onResolve }) {
    onResolve({ filter: /^@kubernetes\/client-node$/ }, ({ kind }) =>
      kind === 'require-call' ? { path: `./${slimClient}`, external: true } : undefined,
    );
  },
};

/** What is started by a file's name, and not imported, has another name in the bundle. */
const threads: Plugin = {
  name: 'threads',
  setup({ onLoad }) {
    for (const { folder, file, startedBy } of threadFiles)
      onLoad({ filter: new RegExp(`${folder}/${startedBy}\\.ts$`) }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const named = `new URL('./${file}.ts', import.meta.url)`;
        if (!source.includes(named)) throw new Error(`${path}: no longer has ${named}, which bundle.ts replaces`);
        return { contents: source.replace(named, `new URL('./${file}.js', import.meta.url)`), loader: 'ts' };
      });
  },
};

/** Where all files lie that a command loads, beside each other. */
const lib = 'lib';
const slimClient = 'kubernetes-client.cjs';
/** What runs in threads of its own. */
const threadFiles = [
  { folder: 'src/sources/directory/reading', file: 'reading-thread', startedBy: 'thread-of-one' },
  { folder: 'src/passwords', file: 'check-thread', startedBy: 'check-threads' },
];

/** The library's modules define and nothing else, which its package.json does not say. */
const definitionsOnly: Plugin = {
  name: 'no side effects',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /./ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === asked || !importer.includes('/@kubernetes/client-node/')) return undefined;
      // To ask esbuild for each of its thousands of files took 7 s of CPU time.
      if (/^\.\.?\/.*\.js$/.test(path)) return { path: join(resolveDir, path), sideEffects: false };
      return { ...(await resolve(path, { importer, resolveDir, kind, pluginData: asked })), sideEffects: false };
    });
  },
};

/** Marks a question that the plugin itself asks. */
const asked = Symbol('asked');

if (import.meta.main) await bundle(process.argv[2] ?? join(root, 'build/app'));
