import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { parseAllDocuments } from 'yaml';
import { freePort } from '../../scripts/free-port.ts';
import { kubernetesDir } from '../../scripts/paths.mjs';
import type { KubernetesObject } from '../../src/gateway-api/index.ts';
import { KubeClient, KubeError, type ResourceType } from '../../src/kube/index.ts';
import { apiserverArgs, type EtcdProcess, end, poll, startDaemon, startEtcd, tail } from './kube-apiserver/daemons.ts';
import { readCrds } from './kube-apiserver/definitions.ts';
import { Etcd } from './kube-apiserver/etcd.ts';
import { isBinding, isGranted } from './kube-apiserver/granted.ts';

export interface KubeApiServerOptions {
  /** Gateway API definitions to install; none when left out. */
  readonly crds?: 'standard' | 'experimental';
  /** More flags for kube-apiserver. */
  readonly args?: readonly string[];
  /** Users beside the administrator; they may do nothing until RBAC objects say so. */
  readonly users?: readonly string[];
  /** The folder with its programs; that of the version we test with when left out. */
  readonly programs?: string;
}

// A definition is large, and the API server takes its time with it where tests share few cores.
const patient = { timeoutMs: 100_000 };

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
  client: KubeClient;
  /** Where everything is, with `etcd.log` and `kube-apiserver.log`. */
  readonly directory: string;
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #programs: string;
  readonly #args: readonly string[];
  /** What it keeps its state in. */
  readonly etcd: Etcd;
  readonly #etcd: ChildProcess;
  #apiserver: ChildProcess;
  readonly #onExit: () => void;
  #giveBack: (() => Promise<void>) | undefined;

  private constructor(parts: Parts) {
    this.directory = parts.directory;
    this.port = parts.port;
    this.server = `https://127.0.0.1:${parts.port}`;
    this.kubeconfig = join(parts.directory, 'kubeconfig');
    this.#tokens = parts.tokens;
    this.#programs = parts.programs;
    this.#args = parts.args;
    this.#etcd = parts.etcd.process;
    this.etcd = new Etcd(parts.etcd.port);
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
      const { programs = kubernetesDir() } = options;
      etcd = await startEtcd(directory, programs);
      const port = await freePort();
      const users = ['admin', ...(options.users ?? [])];
      const tokens = new Map(users.map((user) => [user, randomBytes(16).toString('hex')]));
      const args = [...(await apiserverArgs(directory, port, etcd.port, tokens)), ...(options.args ?? [])];
      const apiserver = await startDaemon(join(programs, 'kube-apiserver'), args, directory);
      started = new KubeApiServer({ directory, port, tokens, programs, args, etcd, apiserver });
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

  /** Creates the definitions of a channel, in our version of the Gateway API or in another, and waits until they are served. */
  async installCrds(channel: 'standard' | 'experimental', version?: string): Promise<void> {
    const crds = await readCrds(channel, undefined, version);
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

  /** Removes a definition with all its objects, and waits until it is served no more: that follows the removal a moment later. */
  async removeCrd(name: string): Promise<void> {
    const crd = await this.client.get(crdType, { name });
    await this.client.delete(crdType, { name });
    await poll(async () => (await this.client.find(crdType, { name })) === undefined, `removal of ${name}`);
    await poll(async () => !(await this.#isServed(crd)), `end of ${name}`);
  }

  /** Applies any YAML by server-side apply, in order. What definitions and bindings say is in force then. */
  async apply(yaml: string): Promise<KubernetesObject[]> {
    const applied: KubernetesObject[] = [];
    for (const document of parseAllDocuments(yaml)) {
      const object = document.toJS() as KubernetesObject | null;
      if (object !== null) applied.push(await this.client.apply(typeOf(object), object));
    }
    // The API server hears of its own objects by watches, now and then a tenth of a second after it has taken them.
    for (const object of applied) {
      if (object.kind === 'CustomResourceDefinition') await this.#established(object);
      else if (isBinding(object)) await this.granted(object);
    }
    return applied;
  }

  /** Waits until the API server acts on a binding. */
  async granted(binding: KubernetesObject): Promise<void> {
    await poll(() => isGranted(this.client, binding), `rights of ${binding.kind} ${binding.metadata.name}`);
  }

  /** Ends the API server and starts another on the same port and data. Its watch caches are new, so old versions are gone. */
  async restart(): Promise<void> {
    await this.pause();
    await this.resume();
  }

  /** Ends the API server; etcd goes on. */
  async pause(): Promise<void> {
    await end(this.#apiserver);
  }

  /** Starts it again after `pause`. */
  async resume(): Promise<void> {
    this.#apiserver = await startDaemon(join(this.#programs, 'kube-apiserver'), this.#args, this.directory);
    await this.#ready();
  }

  /** Lets a borrower have it: the next `stop` calls `giveBack`, and does not end it. */
  lend(giveBack: () => Promise<void>): void {
    this.#giveBack = giveBack;
  }

  async stop(): Promise<void> {
    const giveBack = this.#giveBack;
    this.#giveBack = undefined;
    if (giveBack) await giveBack();
    else await this.#end();
  }

  async #end(): Promise<void> {
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
    await poll(() => this.#isServed(crd), crd.metadata.name);
  }

  async #isServed(crd: KubernetesObject): Promise<boolean> {
    const { group, versions, names } = crd.spec as {
      group: string;
      versions: readonly { name: string; served: boolean }[];
      names: { plural: string };
    };
    for (const { name: version } of versions.filter(({ served }) => served)) {
      const found = await this.client.listPage({ group, version, plural: names.plural }, { limit: 1 }).then(
        () => true,
        () => false,
      );
      if (!found) return false;
    }
    return true;
  }
}

interface Parts {
  readonly directory: string;
  readonly port: number;
  readonly tokens: ReadonlyMap<string, string>;
  readonly programs: string;
  readonly args: readonly string[];
  readonly etcd: EtcdProcess;
  readonly apiserver: ChildProcess;
}

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
