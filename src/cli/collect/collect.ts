import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { counted } from '../../std/index.ts';
import type { AdminClient } from '../kit/admin-client.ts';
import { CliError } from '../kit/cli-error.ts';
import type { Wire } from '../kit/wire.ts';
import { readStatus } from '../status/status.ts';
import { withoutSecrets, withoutSecretText } from './without-secrets.ts';

/** A text that the admin API does not have: metrics, or the log of a container. */
export interface TextPart {
  /** File in the archive. */
  readonly name: string;
  read(): Promise<string>;
}

export interface CollectOptions {
  /** The archive: `….tar.gz`. */
  readonly file: string;
  /** Of this program. */
  readonly version: string;
  readonly now: Date;
  readonly texts: readonly TextPart[];
}

export interface Collected {
  readonly file: string;
  /** Files in the archive. */
  readonly parts: readonly string[];
  /** What was not available, and why. */
  readonly missing: readonly { readonly part: string; readonly reason: string }[];
}

/** What Layout 1 has to say, by the file it goes to. */
const answers: Readonly<Record<string, string>> = {
  'summary.json': '/v1/summary',
  'capabilities.json': '/v1/dashboard/capabilities',
  'sync.json': '/v1/snapshot-sync',
  'snapshot.json': '/v1/snapshot',
  'gateways.json': '/v1/gateways',
  'listeners.json': '/v1/listeners',
  'routes.json': '/v1/routes',
  'backends.json': '/v1/backends',
  'certificates.json': '/v1/certificates',
  'nodes.json': '/v1/nodes',
  'infrastructure.json': '/v1/infrastructure',
  'services.json': '/v1/service-catalog',
  'kinds.json': '/v1/resource-kinds',
  'resources.json': '/v1/resources',
  'topology.json': '/v1/topology',
  'events.json': '/v1/events/recent?limit=500',
};

/** What each agent has to say of itself. */
const reports = ['status', 'config-version', 'config-dump', 'stats', 'connections', 'backends', 'xds'] as const;

/** How long a large answer may take. */
const patienceMs = 60_000;

/**
 * Everything that helps to find a problem, in one archive without secrets. What is not available is left out and named. Throws a CliError when
 * the control plane cannot be asked at all, or the file cannot be written.
 */
export async function collect(client: AdminClient, { file, version, now, texts }: CollectOptions): Promise<Collected> {
  const parts: string[] = [];
  const missing: { part: string; reason: string }[] = [];
  const root = await mkdtemp(join(tmpdir(), 'gatewright-collect-'));
  const name = `gatewright-${now.toISOString().replaceAll(/[:.]/g, '-')}`;
  const save = async (part: string, text: string) => {
    const path = join(root, name, part);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    parts.push(part);
  };
  const attempt = async (part: string, read: () => Promise<string>) => {
    try {
      await save(part, await read());
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      missing.push({ part, reason: withoutSecretText(error.message) });
    }
  };
  const json = (part: string, read: () => Promise<unknown>) =>
    attempt(part, async () => `${JSON.stringify(withoutSecrets(await read()), null, 2)}\n`);
  try {
    const summary = await client.get<Wire['summary']>('/v1/summary');
    await json('versions.json', async () => versionsOf(version, summary, now));
    await json('problems.json', async () => (await readStatus(client)).problems);
    for (const [part, path] of Object.entries(answers)) await json(part, () => client.get(path, patienceMs));
    const nodes = await client.get<readonly Wire['node'][]>('/v1/nodes');
    for (const node of nodes) {
      const id = encodeURIComponent(node.nodeId);
      // Two Gateways may have given one id out.
      const isShared = nodes.filter(({ nodeId }) => nodeId === node.nodeId).length > 1;
      const which = isShared ? `gateway=${encodeURIComponent(node.gateway)}` : '';
      const folder = `nodes/${id.replace(/^\.+/, '_')}${isShared ? `@${encodeURIComponent(node.gateway)}` : ''}`;
      await json(`${folder}/sent.json`, () => client.get(`/v1/snapshot?format=envoy&node=${id}&${which}`, patienceMs));
      for (const report of node.connected ? reports : [])
        await json(`${folder}/${report}.json`, () =>
          client.get(`/v1/dataplanes/${id}/reports/${report}?${which}`, patienceMs),
        );
    }
    for (const { name: part, read } of texts) await attempt(part, async () => withoutSecretText(await read()));
    if (missing.length > 0) await save('missing.json', `${JSON.stringify(missing, null, 2)}\n`);
    await pack(root, name, file);
    return { file, parts, missing };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

const versionsOf = (version: string, summary: Wire['summary'], now: Date) => ({
  collectedAt: now.toISOString(),
  commandLine: version,
  controlPlane: summary.version,
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
});

/** Readable by the user who collected it alone. */
async function pack(root: string, name: string, file: string): Promise<void> {
  try {
    // Only this command needs it.
    const { create } = await import('tar');
    await writeFile(file, '', { mode: 0o600 });
    await create({ gzip: true, file, cwd: root, portable: true }, [name]);
  } catch (error) {
    throw new CliError(`cannot write ${file}: ${(error as Error).message}`, { cause: error });
  }
}

export function collectedText({ file, parts, missing }: Collected): string {
  return [
    `${file}: ${counted(parts.length, 'file')}`,
    ...missing.map(({ part, reason }) => `not there: ${part}: ${reason}`),
    'Secrets are left out; look at it all the same before you give it away.',
  ].join('\n');
}
