import type * as ir from '../../ir/index.ts';
import { type Hidden, hiddenKeys, hiddenTokens } from '../../translate/filters/index.ts';
import { demandsPart, type LevelDemands } from './levels.ts';
import { hiddenOfAny } from './parts/any-of.ts';
import type { Presented } from './presented.ts';

/** The last part that looks at a credential of the client, at any level. */
export const lastOfCredentials: ir.AccessPart = 'jwt';

/** Takes out what a level that is in force keeps from backends and from servers that are asked. */
export function hideCredentials(levels: readonly LevelDemands[], request: Presented): void {
  const hidden = levels.flatMap((level) => hiddenAt(level, request));
  for (const { source, of } of hidden) if (of === undefined || request.claims.has(of)) takeAway(source, request);
}

function hiddenAt(demands: LevelDemands, request: Presented): readonly Hidden[] {
  const { access, overridden } = demands;
  const isInForce = (part: ir.AccessPart) =>
    demandsPart(demands, part) && !overridden.includes(part) && !access.closed?.includes(part);
  return [
    ...(access.any && isInForce('any') ? hiddenOfAny(access.any, request) : []),
    ...(access.apiKeys && isInForce('apiKeys') ? hiddenKeys(access.apiKeys) : []),
    ...(access.jwt && isInForce('jwt') ? hiddenTokens(access.jwt) : []),
  ];
}

function takeAway(source: ir.CredentialSource, request: Presented): void {
  const { kind, name } = source;
  if (kind === 'cookie') request.removeCookie(name);
  else if (kind === 'query') request.removeQueryParam(name);
  else if (source.prefix === undefined || contains(request.header(name), source.prefix)) request.removeHeader(name);
}

const contains = (values: readonly string[], prefix: string): boolean =>
  values.some((value) => value.toLowerCase().includes(prefix.toLowerCase()));
