import { create } from '@bufbuild/protobuf';
import { SecretSchema, typeUrls } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { type EnvoyResource, resourceOf, secretName } from '../resource/index.ts';

/** SDS: a server certificate with its key. */
export const translateSecret = (secret: ir.Secret): EnvoyResource =>
  certificateResource(secretName(secret.key), secret);

/** SDS: a certificate with its key, under any name. */
export function certificateResource(name: string, { certificateChain, privateKey }: ir.Secret): EnvoyResource {
  const inline = (value: Uint8Array) => ({ specifier: { case: 'inlineBytes' as const, value } });
  const secret = create(SecretSchema, {
    name,
    type: {
      case: 'tlsCertificate',
      value: { certificateChain: inline(certificateChain.reveal()), privateKey: inline(privateKey.reveal()) },
    },
  });
  return resourceOf(typeUrls.secret, name, SecretSchema, secret);
}
