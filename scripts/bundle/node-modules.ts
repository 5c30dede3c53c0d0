import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * An `import` of a module of Node has Node read all that it exports, once for each module, and some of that is a getter that loads much: two of
 * `node:http` load its HTTP client (undici), 6 MB of memory and 80 ms of CPU time at the start of each agent and control plane, which have no use for it.
 * And each file asks the loader where each module is. A `require` does neither, and here each name is read only where a file uses it.
 */
export const nodeModules: Plugin = {
  name: 'modules of Node by require',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^[\w:/]+$/ }, ({ path, kind }) =>
      kind === 'import-statement' && isBuiltin(path) ? { path: path.replace(/^node:/, ''), namespace } : undefined,
    );
    onLoad({ filter: /./, namespace }, ({ path }) => ({ contents: moduleOf(`node:${path}`), loader: 'js' }));
  },
};

const namespace = 'module-of-node';

/** esbuild drops a name that nothing imports, because reading it is said to have no effect. */
function moduleOf(name: string): string {
  const isName = (key: string) => /^[A-Za-z]\w*$/.test(key) && key !== 'default';
  const names = Object.keys(process.getBuiltinModule(name) ?? {}).filter(isName);
  return [
    `const module = require('${name}');`,
    'const read = (key) => module[key];',
    'export default module;',
    ...names.map((key) => `const ${key}_ = /* @__PURE__ */ read('${key}');`),
    `export { ${names.map((key) => `${key}_ as ${key}`).join(', ')} };`,
  ].join('\n');
}
