import type { Command } from 'commander';
import type { World } from '../../ingress/index.ts';
import { inCluster } from '../kit/command.ts';
import { checkGivenPaths, nameManifests } from '../kit/given-paths.ts';
import type { ClusterChoice } from '../kit/kube-config.ts';

/** Which ingress-nginx is read. */
export interface WorldChoice extends ClusterChoice {
  readonly file: readonly string[];
  readonly class?: string;
  readonly configmap?: string;
}

/** What was read, and what could not be. */
export interface WorldRead {
  readonly world: World;
  /** In words, one line each. */
  readonly unread: readonly string[];
}

/** A command with the options that say what is read. */
export const readingWorld = (command: Command): Command =>
  inCluster(command)
    .option('-f, --file <path...>', 'files, or directories of YAML and JSON files, instead of a cluster', [])
    .option('--class <name>', 'the ingress class that is meant, if there are several controllers')
    .option('--configmap <namespace/name>', 'of the controller, if its Deployment does not name it');

/** Reads files, or the cluster; changes nothing there. Rejects with a CliError, or with the error of the file system or API server, if nothing can be read. */
export async function readWorld(choice: WorldChoice): Promise<WorldRead> {
  const options = { className: choice.class, configMap: choice.configmap };
  return choice.file.length > 0 ? await fromFiles(choice.file, options) : await fromCluster(choice, options);
}

interface Options {
  readonly className: string | undefined;
  readonly configMap: string | undefined;
}

async function fromFiles(paths: readonly string[], options: Options): Promise<WorldRead> {
  await checkGivenPaths(paths, nameManifests);
  const [{ readWorldFiles }, { formatFinding }] = await Promise.all([
    import('../../ingress/index.ts'),
    import('../../offline/validate/index.ts'),
  ]);
  const { world, findings } = await readWorldFiles(paths, options);
  return { world, unread: findings.map(formatFinding) };
}

async function fromCluster(choice: ClusterChoice, options: Options): Promise<WorldRead> {
  const [{ readClusterOf }, { loadKubeConfig }] = await Promise.all([
    import('../../ingress/index.ts'),
    import('../kit/kube-config.ts'),
  ]);
  const { world, faults, missingRights } = await readClusterOf(loadKubeConfig(choice), options);
  return {
    world,
    unread: [
      ...faults.map(({ object, path, message }) => `${object}: ${path.join('.')}: ${message}`),
      ...missingRights.map(
        ({ kind, verb, message }) =>
          `may not ${verb} ${kind}: ${message}; docs/from-ingress-nginx.md has a ClusterRole that allows it`,
      ),
    ],
  };
}
