import type * as ir from '../../../ir/index.ts';

/**
 * What a level demanded before, for the moment until its routes have taken it over. It verifies as before, and leaves the credentials in the request:
 * the level that takes over wants to see them, too.
 */
export function leaving(demand: ir.TableAccess): ir.TableAccess {
  const { apiKeys, jwt, any } = demand;
  return {
    ...demand,
    ...(apiKeys && { apiKeys: keepingKey(apiKeys) }),
    ...(jwt && { jwt: keepingToken(jwt) }),
    ...(any && {
      any: {
        ...any,
        ...(any.apiKeys && { apiKeys: keepingKey(any.apiKeys) }),
        ...(any.jwt && { jwt: keepingToken(any.jwt) }),
      },
    }),
  };
}

const keepingKey = (apiKeys: ir.ApiKeys): ir.ApiKeys => ({ ...apiKeys, forwardKey: true });

const keepingToken = (jwt: ir.Jwt): ir.Jwt => ({
  ...jwt,
  providers: jwt.providers.map((provider) => ({ ...provider, forwardToken: true })),
});
