import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { clientLibrary } from './client-library.ts';

export interface KubeConfigOptions {
  /** Path of a kubeconfig file; wins over everything else. */
  readonly kubeconfig?: string | undefined;
  /** Context of the file to use instead of its current one. */
  readonly context?: string | undefined;
  /** Where `KUBECONFIG`, `KUBERNETES_SERVICE_HOST` and `HOME` are looked up. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The cluster to talk to is unknown; the message says what to do. */
export class KubeConfigError extends Error {
  override readonly name = 'KubeConfigError';
  readonly code = 'kubeconfig';
}

/** A cluster, who we are there, and where we know it from (a path, or `in-cluster service account`). */
export interface LoadedKubeConfig {
  readonly kubeConfig: KubeConfig;
  readonly origin: string;
}

/**
 * Finds the cluster as kubectl does: the given file, `KUBECONFIG`, the pod's own service account, `~/.kube/config`.
 * Throws KubeConfigError when there is none, or a file cannot be used. Never falls back to localhost:8080.
 */
export function loadKubeConfig(options: KubeConfigOptions = {}): LoadedKubeConfig {
  const env = options.env ?? process.env;
  const loaded = locate(options.kubeconfig, env);
  if (options.context !== undefined) selectContext(loaded, options.context);
  if (loaded.kubeConfig.getCurrentCluster() === null) {
    const { currentContext } = loaded.kubeConfig;
    throw new KubeConfigError(
      currentContext
        ? `${loaded.origin}: context "${currentContext}" names no known cluster`
        : `${loaded.origin}: no current context; set one with "kubectl config use-context"`,
    );
  }
  return loaded;
}

function locate(path: string | undefined, env: Readonly<Record<string, string | undefined>>): LoadedKubeConfig {
  if (path !== undefined) return fromFiles([path], true);
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((entry) => entry !== '');
  if (listed.length > 0) return fromFiles(listed, false);
  if (env.KUBERNETES_SERVICE_HOST !== undefined) return fromServiceAccount();
  const home = join(env.HOME ?? homedir(), '.kube', 'config');
  if (existsSync(home)) return fromFiles([home], true);
  throw new KubeConfigError(`no Kubernetes cluster is known: set KUBECONFIG, write ${home}, or run in a pod`);
}

/** As in kubectl, files of a KUBECONFIG list may be missing, but not all of them. */
function fromFiles(paths: readonly string[], mustExist: boolean): LoadedKubeConfig {
  const present = mustExist ? paths : paths.filter((path) => existsSync(path));
  if (present.length === 0) throw new KubeConfigError(`KUBECONFIG: ${paths.join(', ')} does not exist`);
  const { KubeConfig } = clientLibrary();
  const kubeConfig = new KubeConfig();
  for (const [index, path] of present.entries()) {
    const part = index === 0 ? kubeConfig : new KubeConfig();
    try {
      part.loadFromFile(path);
    } catch (cause) {
      throw new KubeConfigError(`kubeconfig ${path}: ${(cause as Error).message}`, { cause });
    }
    if (part !== kubeConfig) kubeConfig.mergeConfig(part, true);
  }
  return { kubeConfig, origin: `kubeconfig ${present.join(', ')}` };
}

function fromServiceAccount(): LoadedKubeConfig {
  const token = '/var/run/secrets/kubernetes.io/serviceaccount/token';
  if (!existsSync(token)) {
    throw new KubeConfigError(`${token} is missing: the pod needs a service account with automountServiceAccountToken`);
  }
  const kubeConfig = new (clientLibrary().KubeConfig)();
  kubeConfig.loadFromCluster();
  return { kubeConfig, origin: 'in-cluster service account' };
}

function selectContext(loaded: LoadedKubeConfig, context: string): void {
  const names = loaded.kubeConfig.getContexts().map((known) => known.name);
  if (!names.includes(context)) {
    throw new KubeConfigError(`${loaded.origin}: no context "${context}"; there are: ${names.join(', ') || 'none'}`);
  }
  loaded.kubeConfig.setCurrentContext(context);
}
