import { objectKey } from '../../gateway-api/index.ts';
import { HttpError } from '../http/index.ts';
import type { Params } from '../resource/endpoint.ts';
import type { AdminSources } from '../sources.ts';
import { findGateway, type OurGateway } from './gateway-record.ts';

/** The Gateway of a path that ends in a namespace and a name. Throws a 404 also for one that is not of our classes. */
export function getGateway({ namespace, name = '' }: Params, { graph }: AdminSources): OurGateway {
  const key = objectKey(namespace, name);
  const gateway = findGateway(graph, key);
  if (gateway === undefined) throw new HttpError('gateway_not_found', `there is no Gateway ${key} of our classes`);
  return gateway;
}
