import {
  type AskedRequest,
  distinct,
  generateRequests,
  type IngressNginxModel,
  readAccessLog,
  readHar,
  upstreamHosts,
  type World,
} from '../../../ingress/index.ts';
import { CliError } from '../../kit/cli-error.ts';
import { checkGivenPaths } from '../../kit/given-paths.ts';
import type { CliIo } from '../../kit/io.ts';
import type { CompareOptions } from './compare-options.ts';

/** What is known of the Ingresses. */
export interface Known {
  readonly world: World | undefined;
  readonly model: IngressNginxModel | undefined;
}

/** What both sides are asked: the requests of a file, else made-up ones at the edges of the Ingresses. */
export async function requestsFor(
  { requests: path, limit }: CompareOptions,
  { world, model }: Known,
  io: CliIo,
): Promise<Iterable<AskedRequest>> {
  if (path === undefined) return world ? generateRequests(world) : [];
  await checkGivenPaths([path], 'name an access log or a HAR file with --requests');
  if (/\.har$/i.test(path))
    return distinct(
      await readHar(path).catch((error: Error) => {
        throw new CliError(error.message, { cause: error });
      }),
    );
  const { requests, lines, unread } = await readAccessLog(path, upstreamHosts(model), limit);
  io.writeError(`${path}: ${requests.length} distinct requests in ${lines} lines\n`);
  if (unread > 0)
    io.writeError(`note: ${unread} lines are no requests, or say no host: log $host, or name the Ingresses with -f\n`);
  return requests;
}
