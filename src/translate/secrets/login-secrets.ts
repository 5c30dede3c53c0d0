import type * as ir from '../../ir/index.ts';
import { type EnvoyResource, genericSecret, loginSecretName } from '../resource/index.ts';

/** SDS: what logins are made and checked by. `session`: key of the backend that has them. */
export const translateLoginSecret = (
  session: string,
  secret: 'client' | 'hmac',
  login: ir.LoginSecrets,
): EnvoyResource => genericSecret(loginSecretName(session, secret), login[secret]);
