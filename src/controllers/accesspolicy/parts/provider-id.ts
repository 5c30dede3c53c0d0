import { keyOf } from '../../../gateway-api/index.ts';
import type { Policy } from './part.ts';

/** ir.JwtProvider.id of a policy's own provider, whatever its name. */
export const ownProviderId = (name: string, policy: Policy): string => `${keyOf(policy)}/${name}`;

/** The same of a provider as rules name it: a policy's own, or `NAMESPACE/POLICY/PROVIDER`. */
export const providerId = (name: string, policy: Policy): string =>
  name.includes('/') ? name : ownProviderId(name, policy);

/** Key of the policy that has the provider. */
export const policyOfProvider = (id: string): string => id.slice(0, id.lastIndexOf('/'));
