import { KubeConfig } from '@kubernetes/client-node';
import { CliError } from './cli-error.ts';

/** Which cluster a command is about. */
export interface ClusterChoice {
  /** File; without it as kubectl finds it. */
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Throws a CliError for a file that cannot be read, and for a context that is not in it. */
export function loadKubeConfig({ kubeconfig, context }: ClusterChoice): KubeConfig {
  const config = new KubeConfig();
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    throw new CliError(`cannot read the kubeconfig: ${(error as Error).message}`, { cause: error });
  }
  // What the library assumes where there is no file at all.
  if (kubeconfig === undefined && config.getCurrentCluster()?.server === 'http://localhost:8080')
    throw new CliError('there is no kubeconfig: name one with --kubeconfig or KUBECONFIG');
  if (context === undefined) return config;
  const known = config.getContexts().map(({ name }) => name);
  if (!known.includes(context))
    throw new CliError(`no context ${context} in the kubeconfig; it has ${known.join(', ')}`);
  config.setCurrentContext(context);
  return config;
}
