import type { StatusContext } from '../../graph/engine/index.ts';
import type { AtListeners } from './certificate-listeners.ts';
import { demandsPart, invalid, type Policy } from './parts/index.ts';
import { listenersLacking } from './policy-listeners.ts';

/** Whether browsers keep a login at the listeners where a policy demands one: they do so for HTTPS alone. */
export function loginsAt(policy: Policy, gateway: string, context: StatusContext): AtListeners {
  if (!demandsPart(policy.spec, 'oidc')) return {};
  const { lacking, isEveryOne } = listenersLacking(policy, gateway, context, {
    meets: ({ protocol }) => protocol === 'HTTPS',
  });
  if (lacking === undefined) return {};
  const message = `oidc: ${lacking} of Gateway ${gateway} is not of protocol HTTPS, so requests there are answered 401, as browsers keep logins for HTTPS alone`;
  return isEveryOne ? { fault: invalid(message) } : { remark: { reason: 'LoginNeedsHTTPS', message } };
}
