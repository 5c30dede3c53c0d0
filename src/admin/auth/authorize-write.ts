import type { Context } from 'koa';
import { HttpError } from '../http/index.ts';
import type { ResourceRef } from '../managed-resources/resource-store.ts';
import { callerOf } from './bearer-auth.ts';
import type { Identities, ObjectAttributes } from './kubernetes/person.ts';

type Verb = ObjectAttributes['verb'];

/** Rejects with an HttpError unless the request's sender may do all of this to the object. */
export type AuthorizeWrite = (ctx: Context, ref: ResourceRef, verbs: readonly Verb[]) => Promise<void>;

/**
 * People who come with a token of the cluster write only what they could write without us; a configured token writes what the
 * control plane may.
 */
export function writeAuthorizer(identities: Identities | undefined): AuthorizeWrite {
  return async (ctx, { kind, namespace, name }, verbs) => {
    const caller = callerOf(ctx);
    if (caller?.by !== 'kubernetes') return;
    const { person } = caller;
    for (const verb of verbs) {
      const object = { verb, group: kind.group, resource: kind.plural, namespace, name };
      if (!(await identities?.mayWrite(person, object))) throw denied(person.username, object);
    }
  };
}

function denied(username: string, { verb, group, resource, namespace, name }: ObjectAttributes): HttpError {
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  return new HttpError(
    'write_denied',
    `${username} may not ${verb} ${resource}.${group} ${name}${where}: grant that by RBAC, as for kubectl`,
  );
}
