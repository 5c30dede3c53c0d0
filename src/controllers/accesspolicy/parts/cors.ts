import { corsFault, corsOf } from '../../../graph/filters/index.ts';
import type * as ir from '../../../ir/index.ts';
import { type Policy, type ResolvedPart, unlessInvalid } from './part.ts';

/** Any host, so that any page may act with a user's cookies. */
const anyOrigin = /^(https?:\/\/)?\*(:[0-9]+)?$/i;

/** Undefined: the policy has no CORS. It is no demand, so what is wrong with it closes nothing: browsers get no permission. */
export function resolveCors({ spec: { cors } }: Policy): ResolvedPart<ir.Cors> | undefined {
  if (!cors) return undefined;
  const { allowOrigins = [], allowCredentials = false } = cors;
  const fault = corsFault('a value of cors', cors);
  return unlessInvalid(
    [
      ...(fault ? [fault] : []),
      ...(allowCredentials && allowOrigins.some((origin) => anyOrigin.test(origin))
        ? ['cors.allowCredentials with the origin * would let every page act for its user: name the origins']
        : []),
    ],
    () => corsOf(cors),
  );
}
