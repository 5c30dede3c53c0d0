import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin, PluginBuild } from 'esbuild';

/** Packages that our program hardly uses or never calls, and what it has instead. To load them takes CPU time and memory at each start. */
const replaced: Readonly<Record<string, string>> = { gaxios: 'framework-requests.ts', 'iconv-lite': 'body-text.ts' };

/** Leaves out of a bundle what its program has no use for. */
export const leftOut: Plugin = {
  name: 'what is not used',
  setup(build) {
    const filter = new RegExp(`^(?:${Object.keys(replaced).join('|')})$`);
    build.onResolve({ filter }, ({ path }) => ({ path: join(import.meta.dirname, replaced[path] ?? '') }));
    build.onLoad({ filter: /node_modules\/mime-db\/db\.json$/ }, async ({ path }) => {
      const types = Object.entries(JSON.parse(await readFile(path, 'utf8')) as Record<string, MediaType>);
      return { contents: JSON.stringify(Object.fromEntries(types.filter(isSpoken))), loader: 'json' };
    });
    // Definitions of services (channelz, ORCA) come from files that no bundle has.
    replaceByErrors(build, '@grpc/proto-loader', { named: /^@grpc\/proto-loader$/, members: ['loadSync'] });
    // Each loads modules of Node, and one opens a channel between threads.
    for (const part of ['cluster', 'pushgateway', 'worker'])
      replaceByErrors(build, `@prometheus-io/client/lib/${part}`, {
        named: new RegExp(`^\\./lib/${part}$`),
        importer: /@prometheus-io\/client\/index\.js$/,
      });
  },
};

/**
 * Leaves out the HTTP client of the Kubernetes client library: requests of the operator are those of src/kube, which takes from `KubeConfig` whom to ask
 * and as whom.
 */
export const noClientRequests: Plugin = {
  name: 'requests of the Kubernetes client library',
  setup(build) {
    replaceByErrors(build, 'undici', { named: /^undici$/, members: ['Agent', 'ProxyAgent', 'fetch'] });
  },
};

interface Replaced {
  /** How it is imported. */
  readonly named: RegExp;
  /** By which files; any when left out. */
  readonly importer?: RegExp;
  /** What others import of it; when left out, it is one class. */
  readonly members?: readonly string[];
}

function replaceByErrors(
  { onLoad, onResolve }: PluginBuild,
  what: string,
  { named, importer = /./, members = [''] }: Replaced,
): void {
  const namespace = `no ${what}`;
  onResolve({ filter: named }, (asked) => (importer.test(asked.importer) ? { path: what, namespace } : undefined));
  const thrown = `throw new Error('${what} is not in this bundle: see scripts/bundle/left-out.ts')`;
  const contents = members.map(
    (member) => `${member ? `exports.${member}` : 'module.exports'} = function () { ${thrown}; };`,
  );
  onLoad({ filter: /./, namespace }, () => ({ contents: contents.join('\n'), loader: 'js' }));
}

interface MediaType {
  readonly charset?: string;
}

/** Koa has 2,500 media types, three times. Its servers here name types in full, and ask only which character set a type has. */
const isSpoken = ([type, { charset }]: readonly [string, MediaType]): boolean =>
  charset !== undefined || type.startsWith('text/') || type === 'application/octet-stream';
