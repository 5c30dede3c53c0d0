import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** Which files of Koa ask what a body is, and of which classes. */
const asked = /koa\/lib\/(?:application|response)\.js$/;
const classes = ['Blob', 'ReadableStream', 'Response'];

/**
 * Koa asks of each body that is JSON whether it is a `Response`. Node loads its HTTP client (undici) when that name is first read: 6 MB of memory
 * and 80 ms of CPU time of each agent and control plane at its first answer, which never give such a body. Each of these classes says its name in
 * `Symbol.toStringTag`, so the bundle asks for that.
 */
export const koaBodies: Plugin = {
  name: 'bodies of Koa',
  setup({ onLoad }) {
    onLoad({ filter: asked }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      for (const name of classes) {
        const test = new RegExp(`\\b(\\w+) instanceof ${name}\\b`, 'g');
        if (!test.test(contents)) throw new Error(`${path}: no longer asks for ${name}, which koa-bodies.ts replaces`);
        contents = contents.replace(test, `Object.prototype.toString.call($1) === '[object ${name}]'`);
      }
      return { contents, loader: 'js' };
    });
  },
};
