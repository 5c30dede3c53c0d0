import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build, stop } from 'esbuild';
import { inject } from 'postject';
import { root } from '../paths.mjs';
import { run } from '../setup/run.mjs';
import { archive, digestOf, filesBelow } from './archive.ts';

/** The marker in Node's executable that says whether it holds a program. Source: Node, "Single executable applications". */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

export interface ExecutableParts {
  /** The folder of the bundle. */
  readonly app: string;
  readonly version: string;
  /** An empty folder to work in. */
  readonly scratch: string;
}

/** Makes one file that is the whole program, Node included, for the kind of machine that it is made on. */
async function makeExecutable(file: string, { app, version, scratch }: ExecutableParts): Promise<void> {
  const packed = join(scratch, 'app.tar');
  await archive(app, packed, {});
  const name = `${version}-${(await digestOf(packed)).slice(0, 16)}`;
  const main = join(scratch, 'main.cjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'executable-main.ts')],
    outfile: main,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    define: { PROGRAM: JSON.stringify(name) },
    logLevel: 'warning',
  });
  await stop();
  const blob = join(scratch, 'program.blob');
  const assets = Object.fromEntries((await filesBelow(app)).map((path) => [relative(app, path), path]));
  const config = { main, output: blob, disableExperimentalSEAWarning: true, assets };
  await writeFile(join(scratch, 'sea.json'), JSON.stringify(config));
  const node = join(root, 'node_modules/node/bin/node');
  await run(node, ['--experimental-sea-config', join(scratch, 'sea.json')]);
  await copyFile(node, file);
  await inject(file, 'NODE_SEA_BLOB', await readFile(blob), { sentinelFuse: fuse });
}

/** Writes an archive with the program as one file and the Envoy that it runs: unpacked, it needs nothing else. */
export async function packExecutable(
  file: string,
  { envoy, ...parts }: ExecutableParts & { readonly envoy: string },
): Promise<void> {
  const folder = join(parts.scratch, 'gatewright');
  await mkdir(folder);
  await makeExecutable(join(folder, 'gatewright'), parts);
  await cp(envoy, join(folder, 'envoy'));
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  await archive(folder, file, { prefix: 'gatewright', isCompressed: true });
}
