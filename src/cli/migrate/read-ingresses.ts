import type { World } from '../../ingress/index.ts';
import { CliError } from '../kit/cli-error.ts';
import type { CliIo } from '../kit/io.ts';
import { readWorld, type WorldChoice } from './read-world.ts';

/**
 * The world that a command cannot do without. What of it could not be read is on standard error, and `isWhole` false. Rejects with a CliError when
 * there is no Ingress, and when no controller was found in a cluster and none is named.
 */
export async function readIngresses(
  choice: WorldChoice,
  io: CliIo,
): Promise<{ readonly world: World; readonly isWhole: boolean }> {
  const { world, unread } = await readWorld(choice);
  for (const line of unread) io.writeError(`error: ${line}\n`);
  const isCluster = choice.file.length === 0;
  const isNamed = choice.class !== undefined || choice.configmap !== undefined;
  if (isCluster && world.controller.workload === undefined && !isNamed)
    throw new CliError(
      'no Deployment or DaemonSet with --configmap or image ingress-nginx; name the class with --class and the ConfigMap with --configmap',
    );
  if (world.ingresses.length === 0)
    throw new CliError(
      `no Ingress ${isCluster ? 'in the cluster that this user may read' : `in ${choice.file.join(', ')}`}`,
    );
  return { world, isWhole: unread.length === 0 };
}
