import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { parseAllDocuments } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { crdDir, kubernetesDir, ownCrdDir } from '../../scripts/paths.mjs';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { KubeClient, KubeError, type ResourceType } from '../../src/kube/index.ts';

export interface KubeApiServerOptions {
  /** Gateway API definitions to install; none when left out. */
  readonly crds?: 'standard' | 'experimental';
  /** More flags for kube-apiserver. */
  readonly args?: readonly string[];
  /** Users beside the administrator; they may do nothing until RBAC objects say so. */
  readonly users?: readonly string[];
}

// A definition is large, and the API server takes its time with it where tests share few cores.
const patient = { timeoutMs: 100_000 };

/** What a start may take there. */
const readyMs = 400_000;

const crdType: ResourceType = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };

/**
 * A real kube-apiserver with its etcd, on free ports of 127.0.0.1 and in a temporary directory: no root, no kubelet, no controllers.
 * The caller ends it with `stop`, also when a test fails (`t.teardown`, `test.after.always`, or `await using`).
 */
export class KubeApiServer implements AsyncDisposable {
  /** `https://127.0.0.1:PORT` */
  readonly server: string;
  readonly port: number;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** As the administrator. */
  readonly client: KubeClient;
  /** Where everything is, with `etcd.log` and `kube-apiserver.log`. */
  readonly directory: string;
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #args: readonly string[];
  readonly #etcd: ChildProcess;
  readonly #etcdPort: number;
  #apiserver: ChildProcess;
  readonly #onExit: () => void;

  private constructor(parts: Parts) {
    this.directory = parts.directory;
    this.port = parts.port;
    this.server = `https://127.0.0.1:${parts.port}`;
    this.kubeconfig = join(parts.directory, 'kubeconfig');
    this.#tokens = parts.tokens;
    this.#args = parts.args;
    this.#etcd = parts.etcd.process;
    this.#etcdPort = parts.etcd.port;
    this.#apiserver = parts.apiserver;
    this.client = new KubeClient(this.kubeConfigOf('admin'));
    this.#onExit = () => {
      this.#apiserver.kill('SIGKILL');
      this.#etcd.kill('SIGKILL');
    };
    process.once('exit', this.#onExit);
  }

  static async start(options: KubeApiServerOptions = {}): Promise<KubeApiServer> {
    const directory = await mkdtemp(join(tmpdir(), 'gatewright-kube-'));
    let etcd: EtcdProcess | undefined;
    let started: KubeApiServer | undefined;
    try {
      etcd = await startEtcd(directory);
      const port = await freePort();
      const users = ['admin', ...(options.users ?? [])];
      const tokens = new Map(users.map((user) => [user, randomBytes(16).toString('hex')]));
      const args = [...(await apiserverArgs(directory, port, etcd.port, tokens)), ...(options.args ?? [])];
      const apiserver = await startDaemon('kube-apiserver', args, directory);
      started = new KubeApiServer({ directory, port, tokens, args, etcd, apiserver });
      await started.#ready();
      await writeFile(started.kubeconfig, started.kubeConfigOf('admin').exportConfig());
      if (options.crds) await started.installCrds(options.crds);
      return started;
    } catch (error) {
      await started?.stop();
      if (started === undefined && etcd !== undefined) await end(etcd.process);
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }

  /** Configuration of a user, and, when given, with another URL in place of the server's own (a proxy of the test). */
  kubeConfigOf(user: string, server: string = this.server): KubeConfig {
    const token = this.#tokens.get(user);
    if (token === undefined) throw new Error(`no user ${user}: name it in the options`);
    const config = new KubeConfig();
    config.loadFromClusterAndUser(
      { name: 'test', server, caFile: join(this.directory, 'certs', 'apiserver.crt'), skipTLSVerify: false },
      { name: user, token },
    );
    return config;
  }

  /** Creates the definitions of a channel and waits until they are served. */
  async installCrds(channel: 'standard' | 'experimental'): Promise<void> {
    const crds = await readCrds(channel);
    // One by one: together their rules take longer to compile than the API server gives one request.
    for (const crd of crds) await this.client.create(crdType, crd, patient);
    await Promise.all(crds.map((crd) => this.#established(crd)));
  }

  /** Creates one definition, by its plural and group, and waits until it is served. `own`: of ours. */
  async installCrd(name: string, channel: 'standard' | 'experimental' | 'own' = 'standard'): Promise<void> {
    const [plural, ...group] = name.split('.');
    const file = `${group.join('.')}_${plural}.yaml`;
    const crd = (await readCrds(channel, (each) => each === file)).find((known) => known.metadata.name === name);
    if (crd === undefined) throw new Error(`no definition ${name} in the ${channel} channel`);
    await this.client.create(crdType, crd, patient);
    await this.#established(crd);
  }

  /** Creates our own definitions and waits until they are served. */
  async installOwnCrds(): Promise<void> {
    for (const { metadata } of await readCrds('own')) await this.installCrd(metadata.name, 'own');
  }

  /** Removes a definition with all its objects. */
  async removeCrd(name: string): Promise<void> {
    await this.client.delete(crdType, { name });
    await poll(async () => (await this.client.find(crdType, { name })) === undefined, `removal of ${name}`);
  }

  /** Applies any YAML by server-side apply, in order. */
  async apply(yaml: string): Promise<KubernetesObject[]> {
    const applied: KubernetesObject[] = [];
    for (const document of parseAllDocuments(yaml)) {
      const object = document.toJS() as KubernetesObject | null;
      if (object !== null) applied.push(await this.client.apply(typeOf(object), object));
    }
    return applied;
  }

  /** Ends the API server and starts another on the same port and data. Its watch caches are new, so old versions are gone. */
  async restart(): Promise<void> {
    await this.pause();
    await this.resume();
  }

  /** Makes etcd forget every version but the current one, as it does by itself after some minutes. */
  async compact(): Promise<void> {
    const call = async (path: string, body: object) => {
      const response = await fetch(`http://127.0.0.1:${this.#etcdPort}/v3/kv/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`etcd ${path}: ${await response.text()}`);
      return (await response.json()) as { header: { revision: string } };
    };
    const { header } = await call('range', { key: Buffer.from('a key').toString('base64') });
    await call('compaction', { revision: header.revision, physical: true });
  }

  /** Ends the API server; etcd goes on. */
  async pause(): Promise<void> {
    await end(this.#apiserver);
  }

  /** Starts it again after `pause`. */
  async resume(): Promise<void> {
    this.#apiserver = await startDaemon('kube-apiserver', this.#args, this.directory);
    await this.#ready();
  }

  async stop(): Promise<void> {
    process.removeListener('exit', this.#onExit);
    this.client.close();
    await end(this.#apiserver);
    await end(this.#etcd);
    await rm(this.directory, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #ready(): Promise<void> {
    const log = join(this.directory, 'kube-apiserver.log');
    await poll(async () => {
      if (this.#apiserver.exitCode !== null) throw new Error(`kube-apiserver ended:\n${await tail(log)}`);
      return await this.client.json({ method: 'GET', path: '/api/v1/namespaces/default' }).then(
        async () => await this.#healthy(),
        () => false,
      );
    }, 'kube-apiserver');
  }

  async #healthy(): Promise<boolean> {
    // /readyz answers with the text "ok", which is not JSON: any answer but that is a rejection.
    return await this.client.json({ method: 'GET', path: '/readyz' }).then(
      () => true,
      (error: unknown) => error instanceof KubeError && error.code === 'malformed',
    );
  }

  async #established(crd: KubernetesObject): Promise<void> {
    const { group, versions, names } = crd.spec as {
      group: string;
      versions: readonly { name: string; served: boolean }[];
      names: { plural: string };
    };
    const served = versions.filter((version) => version.served);
    await poll(async () => {
      for (const { name: version } of served) {
        const found = await this.client.listPage({ group, version, plural: names.plural }, { limit: 1 }).then(
          () => true,
          () => false,
        );
        if (!found) return false;
      }
      return true;
    }, crd.metadata.name);
  }
}

interface EtcdProcess {
  readonly process: ChildProcess;
  readonly port: number;
}

interface Parts {
  readonly directory: string;
  readonly port: number;
  readonly tokens: ReadonlyMap<string, string>;
  readonly args: readonly string[];
  readonly etcd: EtcdProcess;
  readonly apiserver: ChildProcess;
}

/** @param isWanted by a file's name; a definition is in `GROUP_PLURAL.yaml`, and a channel takes long to parse */
async function readCrds(
  channel: 'standard' | 'experimental' | 'own',
  isWanted: (file: string) => boolean = () => true,
): Promise<KubernetesObject[]> {
  const directory = channel === 'own' ? ownCrdDir : crdDir(channel);
  const files = (await readdir(directory)).filter((name) => name.endsWith('.yaml') && isWanted(name)).sort();
  const texts = await Promise.all(files.map((name) => readFile(join(directory, name), 'utf8')));
  return texts
    .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject | null))
    .filter((object): object is KubernetesObject => object?.kind === 'CustomResourceDefinition');
}

async function startEtcd(directory: string): Promise<EtcdProcess> {
  const [port, peerPort] = [await freePort(), await freePort()];
  const client = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${peerPort}`;
  const etcd = await startDaemon(
    'etcd',
    [
      '--name=test',
      `--data-dir=${join(directory, 'etcd')}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=test=${peer}`,
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
    directory,
  );
  return { process: etcd, port };
}

async function apiserverArgs(
  directory: string,
  port: number,
  etcdPort: number,
  tokens: ReadonlyMap<string, string>,
): Promise<string[]> {
  const key = join(directory, 'service-account.pem');
  const tokenFile = join(directory, 'tokens.csv');
  await mkdir(join(directory, 'certs'));
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writeFile(key, privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  const rows = [...tokens].map(([user, token]) =>
    user === 'admin' ? `${token},admin,admin,system:masters` : `${token},${user},${user}`,
  );
  await writeFile(tokenFile, `${rows.join('\n')}\n`, { mode: 0o600 });
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${join(directory, 'certs')}`,
    `--token-auth-file=${tokenFile}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/16',
    '--service-account-issuer=https://127.0.0.1',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    '--endpoint-reconciler-type=none',
    '--profiling=false',
  ];
}

async function startDaemon(name: string, args: readonly string[], directory: string): Promise<ChildProcess> {
  const path = join(kubernetesDir(), name);
  await access(path).catch((cause: unknown) => {
    throw new Error(
      `${path} is missing: run "npm test" once, which builds it, or set KUBEBUILDER_ASSETS to a folder that has it`,
      {
        cause,
      },
    );
  });
  // A test's server is small and ends soon: collecting its garbage was a quarter of its CPU time.
  const env = { ...process.env, GOGC: '400' };
  const child = spawn(path, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(join(directory, `${name}.log`), { flags: 'a' });
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  child.once('close', () => log.end());
  await once(child, 'spawn');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  // Nothing of theirs is kept, so there is nothing to end in good order.
  child.kill('SIGKILL');
  await exited;
}

async function poll(done: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + readyMs;
  while (!(await done())) {
    if (Date.now() > deadline) throw new Error(`${what} was not ready in ${readyMs / 1000} s`);
    await delay(50);
  }
}

const tail = async (path: string): Promise<string> => (await readFile(path, 'utf8')).split('\n').slice(-15).join('\n');

/** Where the API server keeps an object; enough of English for the kinds that tests apply. */
export function typeOf(object: KubernetesObject): ResourceType {
  const slash = object.apiVersion.indexOf('/');
  const lower = object.kind.toLowerCase();
  const ending = /(?:s|x|ch|sh)$/.test(lower) ? `${lower}es` : lower.replace(/y$/, 'ie').concat('s');
  const plural = lower.endsWith('gateway') ? `${lower}s` : ending;
  return {
    group: slash < 0 ? '' : object.apiVersion.slice(0, slash),
    version: object.apiVersion.slice(slash + 1),
    plural,
  };
}
