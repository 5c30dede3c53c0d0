import type { AdminClient } from '../kit/admin-client.ts';
import { findObject, type Wanted } from './find-object.ts';
import { describerOf } from './kinds.ts';
import type { Description } from './section.ts';

/** All that the control plane knows of one object. Throws a CliError when there is none, or when several could be meant. */
export async function describeObject(client: AdminClient, wanted: Wanted, now: Date): Promise<Description> {
  const found = await findObject(client, wanted);
  return await describerOf(found.kind)(client, found, now);
}
