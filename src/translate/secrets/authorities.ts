import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type CommonTlsContext_CombinedCertificateValidationContextSchema,
  SecretSchema,
  typeUrls,
  CertificateValidationContext_TrustChainVerification as Verification,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import {
  adsSource,
  clientAuthoritiesName,
  type EnvoyResource,
  resourceOf,
  sanTypes,
  stringMatcher,
} from '../resource/index.ts';

/** SDS: the authorities of one backend or one filter chain. Undefined where the proxy's system has them. */
export function translateAuthorities(
  name: string,
  { authorities, revocation }: { readonly authorities?: string; readonly revocation?: ir.ChainRevocation },
): EnvoyResource | undefined {
  if (authorities === undefined) return undefined;
  const secret = create(SecretSchema, {
    name,
    type: {
      case: 'validationContext',
      value: {
        trustedCa: inline(authorities),
        // With the authorities, so that a new list is for the next handshake and ends no connection.
        ...(revocation && {
          crl: inline(revocation.lists),
          onlyVerifyLeafCertCrl: revocation.leafOnly ?? false,
        }),
      },
    },
  });
  return resourceOf(typeUrls.secret, name, SecretSchema, secret);
}

const inline = (value: string) => ({ specifier: { case: 'inlineString' as const, value } });

/** The authorities of every chain of a listener, now or before; without a resource where there are none any more. */
export function clientAuthorities({
  key,
  before,
  after: listener,
}: {
  readonly key: string;
  readonly before?: ir.Listener;
  readonly after?: ir.Listener;
}): { readonly name: string; readonly chain: ir.Chain | undefined; readonly resource: EnvoyResource | undefined }[] {
  const clientsOf = (some: ir.Listener | undefined) =>
    new Map((some?.chains ?? []).flatMap(({ name, tls }) => (tls?.clients ? [[name, tls.clients] as const] : [])));
  const now = clientsOf(listener);
  return [...new Set([...clientsOf(before).keys(), ...now.keys()])].map((chain) => {
    const name = clientAuthoritiesName(key, chain);
    const after = listener?.chains.find((each) => each.name === chain);
    return { name, chain: after, resource: translateAuthorities(name, now.get(chain) ?? {}) };
  });
}

/** How a filter chain checks its clients. Without `required` a certificate is asked for, and any or none will do. */
export const clientValidation = (
  secret: string,
  { required, names = [], pins }: ir.ChainClients,
): {
  case: 'combinedValidationContext';
  value: MessageInitShape<typeof CommonTlsContext_CombinedCertificateValidationContextSchema>;
} => ({
  case: 'combinedValidationContext',
  value: {
    defaultValidationContext: {
      ...(!required && { trustChainVerification: Verification.ACCEPT_UNTRUSTED }),
      // Of a subject Envoy knows nothing in a handshake: routes of connections have none.
      matchTypedSubjectAltNames: names.flatMap(({ kind, match }) =>
        kind === 'subject' ? [] : { sanType: sanTypes[kind], matcher: stringMatcher(match) },
      ),
      ...(pins && { verifyCertificateHash: [...pins.certificates], verifyCertificateSpki: [...pins.publicKeys] }),
    },
    validationContextSdsSecretConfig: { name: secret, sdsConfig: adsSource() },
  },
});
