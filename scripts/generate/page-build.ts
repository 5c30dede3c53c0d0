import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type BuildOptions, build, type Metafile, stop } from 'esbuild';
import { pageDir } from './page.ts';
import { guide } from './page-guide.ts';

/** The script that the page starts with. */
const entry = 'src/main.tsx';
/** Runs in a thread of its own, so it is a script of its own. */
const layoutWorker = 'src/pages/map/layout-worker.ts';

/**
 * Builds the page that the control plane serves: `index.html`, and `assets` under names with a hash of their content. Each file also
 * lies beside itself as `.gz` and `.br`, so that no answer is packed while a browser waits.
 * @returns the number of assets.
 */
export async function buildPage(outDir: string): Promise<number> {
  const settings = settingsFor(outDir);
  const worker = await build({ ...settings, entryPoints: { layout: layoutWorker } });
  const layoutWorkerFile = basename(worker.outputFiles[0]?.path ?? '');
  const { metafile, outputFiles: pageFiles } = await build({
    ...settings,
    entryPoints: { main: entry },
    splitting: true,
    plugins: [guide],
    define: { layoutWorkerFile: JSON.stringify(layoutWorkerFile) },
  });
  const outputFiles = [...worker.outputFiles, ...pageFiles];
  // Its process would wait for the next build as long as ours lives.
  await stop();
  mkdirSync(join(outDir, 'assets'), { recursive: true });
  for (const { path, contents } of outputFiles) writePacked(path, Buffer.from(contents));
  const icon = readFileSync(join(pageDir, 'icon.svg'));
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
  writePacked(join(outDir, 'assets', iconName), icon);
  const { script, style } = startOf(metafile, join(outDir, 'assets'));
  const html = readFileSync(join(pageDir, 'index.html'), 'utf8')
    .replace('ICON', iconName)
    .replace('STYLE', style)
    .replace('SCRIPT', script);
  writePacked(join(outDir, 'index.html'), Buffer.from(html));
  return outputFiles.length + 1;
}

const settingsFor = (outDir: string) =>
  ({
    absWorkingDir: pageDir,
    tsconfig: join(pageDir, 'tsconfig.json'),
    outdir: join(outDir, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    format: 'esm',
    target: ['chrome120', 'firefox121', 'safari17.2'],
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  }) as const satisfies BuildOptions;

function startOf({ outputs }: Metafile, assets: string): { readonly script: string; readonly style: string } {
  for (const [path, { entryPoint, cssBundle }] of Object.entries(outputs)) {
    if (entryPoint !== entry || cssBundle === undefined) continue;
    const nameOf = (file: string) => relative(assets, join(pageDir, file));
    return { script: nameOf(path), style: nameOf(cssBundle) };
  }
  throw new Error(`the build of page/ has no ${entry} with a style`);
}

function writePacked(path: string, content: Buffer): void {
  writeFileSync(path, content);
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(content));
}
