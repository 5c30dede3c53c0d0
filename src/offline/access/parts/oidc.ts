import type * as ir from '../../../ir/index.ts';
import type { Presented } from '../presented.ts';
import { matchesPath, matchesText } from '../text-match.ts';
import { denies, passes, unknown, type Verdict } from '../verdict.ts';

/** Whether a login is good, only proxies know: here it is seen whether there is one. */
export function judgeOidc(login: ir.Oidc, request: Presented): Verdict {
  const { endpoints, redirectPath, logout, cookies, denyRedirect, passThrough } = login;
  const { host } = new URL(endpoints.authorization);
  if (passThrough.some((condition) => holds(condition, request))) return passes('passThrough: it needs no login');
  if (request.path === logout?.path) return denies(302, 'it is logged out');
  if (request.path === redirectPath)
    return { verdict: 'asks', server: host, reason: `comes back from ${host}: the proxy asks for a token by its code` };
  if (request.cookie(`${cookies.prefix}hmac`) !== undefined)
    return { verdict: 'asks', server: host, reason: 'has cookies of a login, which proxies alone can check' };
  if (denyRedirect.some((condition) => holds(condition, request)))
    return denies(401, 'there is no login, and denyRedirect keeps it from the provider');
  if (request.scheme === undefined)
    return unknown('whether it came by HTTPS depends on the address of the connection, which was not said');
  if (request.scheme === 'http') return denies(401, 'there is no login, and by plain HTTP there cannot be one');
  return denies(302, `there is no login: it is sent to ${host}`);
}

function holds(condition: ir.LoginCondition, request: Presented): boolean {
  if (condition.kind === 'path') return matchesPath(condition.match, request.path);
  const values = request.header(condition.name);
  if (values.length === 0) return false;
  return condition.match === undefined || matchesText(condition.match, values.join(','));
}
