import type * as ir from '../../ir/index.ts';
import { HttpError } from '../http/index.ts';
import type { Params } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { backendName, findBackends } from './backend-record.ts';

/** The backend of a path that ends in a namespace and a name. Throws a 404, or a 409 for a Service with several ports. */
export function getBackend({ namespace = '', name = '' }: Params, { graph }: AdminSources): ir.Backend {
  const [found, ...others] = findBackends(graph, namespace, name);
  if (found === undefined) throw new HttpError('backend_not_found', `there is no backend ${namespace}/${name}`);
  if (others.length === 0) return found;
  const details = [found, ...others].map((backend) => ({
    path: backendName(backend),
    message: `port ${backend.port}`,
  }));
  throw new HttpError('name_ambiguous', `Service ${namespace}/${name} has several ports; use SERVICE:PORT`, {
    details,
  });
}
