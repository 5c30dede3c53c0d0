import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { kinds, type ObjectByKind } from '../gateway-api/index.ts';
import { loginKey } from '../key-sets/index.ts';
import { type KubeClient, KubeError } from '../kube/index.ts';

export type LoginSecret = ObjectByKind['Secret'];

/** Where the key of all logins is kept. Both reject where it cannot be used. */
export interface LoginKeyStore {
  /** What is there at the start, where nothing else reports it; undefined: it cannot be read, which `find` reports. */
  kept?(): LoginSecret | undefined;
  /** Undefined: there is none. */
  find(): Promise<LoginSecret | undefined>;
  /** Makes one; another one may have come first. */
  create(): Promise<void>;
}

const timeoutMs = 10_000;

const newKey = (): string => randomBytes(loginKey.leastBytes).toString('base64');

/** Without a key: the Secret was made by hand, and not whole. */
const secretOf = (namespace: string, key: string | undefined): LoginSecret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name: loginKey.name, labels: { 'app.kubernetes.io/name': 'gatewright' } },
  type: 'Opaque',
  data: key === undefined ? {} : { [loginKey.entry]: key },
});

/** A Secret of the cluster, which all replicas read. `client`: one that writes while this replica leads. */
export const clusterLoginKey = (client: Pick<KubeClient, 'find' | 'create'>, namespace: string): LoginKeyStore => ({
  async find() {
    const found = await client.find<LoginSecret>(kinds.Secret, { namespace, name: loginKey.name }, { timeoutMs });
    return found && secretOf(namespace, found.data?.[loginKey.entry]);
  },
  async create() {
    try {
      await client.create(kinds.Secret, secretOf(namespace, newKey()), { timeoutMs });
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 'already-exists')) throw error;
    }
  },
});

/** A file of a control plane without a cluster, which its user alone may read. */
export const fileLoginKey = (path: string, namespace: string): LoginKeyStore => ({
  kept() {
    try {
      return secretOf(namespace, readFileSync(path, 'utf8').trim());
    } catch {
      return undefined;
    }
  },
  async find() {
    const text = await readFile(path, 'utf8').catch(unlessCode('ENOENT'));
    return text === undefined ? undefined : secretOf(namespace, text.trim());
  },
  async create() {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, `${newKey()}\n`, { mode: 0o600, flag: 'wx' }).catch(unlessCode('EEXIST'));
  },
});

const unlessCode =
  (code: string) =>
  (error: unknown): undefined => {
    if ((error as NodeJS.ErrnoException).code !== code) throw error;
  };
