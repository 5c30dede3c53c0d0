import { create } from '@bufbuild/protobuf';
import { SecretSchema, typeUrls } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { type EnvoyResource, loginSecretName, resourceOf } from '../resource/index.ts';

/** SDS: what logins are made and checked by. `session`: key of the backend that has them. */
export const translateLoginSecret = (
  session: string,
  secret: 'client' | 'hmac',
  login: ir.LoginSecrets,
): EnvoyResource => {
  const name = loginSecretName(session, secret);
  const message = create(SecretSchema, {
    name,
    type: {
      case: 'genericSecret',
      value: { secret: { specifier: { case: 'inlineBytes', value: login[secret].reveal() } } },
    },
  });
  return resourceOf(typeUrls.secret, name, SecretSchema, message);
};
