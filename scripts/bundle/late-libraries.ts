import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

/**
 * A library that is a file of its own, read when it is first asked for. esbuild gives a file to what is imported later, but not to what is
 * required later, and Node reads each character of a file that it loads, also of functions that nothing calls.
 */
const prices = { library: '@pydantic/genai-prices', file: 'genai-prices.cjs' };

/** Writes that file into `folder`. */
export const bundleLateLibraries = (folder: string, options: BuildOptions) =>
  build({ ...options, entryPoints: [prices.library], outfile: join(folder, prices.file), format: 'cjs' });

/** Has files of `bin/lib` load it, and what else they load late. esbuild sees a `require` only when it is not one made by hand. */
export const lateLibraries: Plugin = {
  name: 'libraries that are loaded late',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: new RegExp(`^${prices.library}$`) }, ({ kind }) =>
      kind === 'require-call' ? { path: `./${prices.file}`, external: true } : undefined,
    );
    onLoad({ filter: /src\/(?:kube\/client-library|addons\/ai\/price-catalogue)\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const made = 'const require = createRequire(import.meta.url);';
      if (!source.includes(made))
        throw new Error(`${path}: no longer has the line "${made}", which late-libraries.ts replaces`);
      return { contents: source.replace(made, ''), loader: 'ts' };
    });
  },
};
