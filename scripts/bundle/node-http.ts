import type { Plugin } from 'esbuild';

/**
 * An `import` of `node:http` has Node read all that the module exports, and two of these are getters that load its HTTP client (undici):
 * 6 MB of memory and 80 ms of CPU time at the start of each agent and control plane, which have no use for it. A `require` reads nothing.
 */
export const nodeHttp: Plugin = {
  name: 'node:http without its client',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(?:node:)?http$/ }, ({ kind }) =>
      kind === 'require-call' ? undefined : { path: 'http', namespace },
    );
    onLoad({ filter: /./, namespace }, () => ({ contents: `module.exports = require('node:http');`, loader: 'js' }));
  },
};

const namespace = 'node-http';
