import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import {
  DynamicMetadataInputSchema,
  MetadataInputMatcherSchema,
  MtlsAuthenticatedSchema,
  type PrincipalSchema,
  packAny,
  RBACFilterSchema,
} from '../../../envoy/index.ts';
import * as ir from '../../../ir/index.ts';
import { sanTypes, stringMatcher } from '../../resource/index.ts';
import type { Predicate } from '../slot.ts';
import { policyOf } from './client-ips.ts';
import { allOf, anyOf, not } from './principals.ts';

type Principal = MessageInitShape<typeof PrincipalSchema>;

export const clientCertificates = (demanded: ir.ClientCertificates): Any =>
  packAny(
    RBACFilterSchema,
    create(RBACFilterSchema, { rules: { policies: { 'client-certificates': policyOf(hasCertificate(demanded)) } } }),
  );

/**
 * Clients whose certificate was verified and has one of the names. Envoy's principal `authenticated` takes every connection with TLS when it is
 * empty, and with a name also certificates of strangers where the listener lets them pass; `mtls_authenticated` takes verified ones alone.
 */
export const hasCertificate = ({ names }: ir.ClientCertificates): Principal =>
  names ? anyOf(names.map(hasName)) : verified({ anyValidatedClientCertificate: true });

function hasName({ kind, match }: ir.CertificateName): Principal {
  if (kind !== 'subject') return hasSan(kind, match);
  const exact = stringMatcher(match);
  return allOf([
    verified({ anyValidatedClientCertificate: true }),
    { identifier: { case: 'authenticated', value: { principalName: exact } } },
    // The one before compares alternative names first.
    not(hasSan('uri', match)),
    not(hasSan('dns', { kind: 'regex', value: ir.literalPattern(match.value) })),
  ]);
}

/** Of DNS names the match is an expression: an exact one would be compared as those of servers are, where a wildcard in the certificate counts. */
const hasSan = (kind: keyof typeof sanTypes, match: ir.ValueMatch): Principal =>
  verified({ sanMatcher: { sanType: sanTypes[kind], matcher: stringMatcher(match) } });

const verified = (config: MessageInitShape<typeof MtlsAuthenticatedSchema>): Principal => ({
  identifier: {
    case: 'custom',
    value: {
      name: 'envoy.rbac.principals.mtls_authenticated',
      typedConfig: packAny(MtlsAuthenticatedSchema, create(MtlsAuthenticatedSchema, config)),
    },
  },
});

const rbac = 'envoy.filters.http.rbac';
const markOf = (level: string): string => `gatewright_${level}_`;
const marked = 'shadow_engine_result';

/** Where a mark is found in the dynamic metadata of a request: `allowed` if the certificate is enough. */
export const rbacMetadata = (level: string) => ({ namespace: rbac, key: `${markOf(level)}${marked}` });

/** The same for whatever name a certificate has. */
export const anyCertificateMark = (level: string): Any => markFor({}, level);

/** Finds out whether the certificate is enough, and denies nothing: what chooses a filter cannot ask that of Envoy itself. */
export function certificateMark({ any, closed = [] }: ir.Access, level: string): Any | undefined {
  if (!any?.clientCertificates || closed.includes('any')) return undefined;
  return markFor(any.clientCertificates, level);
}

function markFor(demanded: ir.ClientCertificates, level: string): Any {
  const policies = { 'client-certificates': policyOf(hasCertificate(demanded)) };
  return packAny(
    RBACFilterSchema,
    create(RBACFilterSchema, { shadowRules: { policies }, shadowRulesStatPrefix: markOf(level) }),
  );
}

/** Whether the mark of the same level says so. */
export const isMarked = (level: string): Predicate => {
  const input = create(DynamicMetadataInputSchema, {
    filter: rbac,
    path: [{ segment: { case: 'key', value: rbacMetadata(level).key } }],
  });
  const matcher = create(MetadataInputMatcherSchema, {
    value: { matchPattern: { case: 'stringMatch', value: { matchPattern: { case: 'exact', value: 'allowed' } } } },
  });
  return {
    matchType: {
      case: 'singlePredicate',
      value: {
        input: { name: 'mark', typedConfig: packAny(DynamicMetadataInputSchema, input) },
        matcher: {
          case: 'customMatch',
          value: { name: 'marked', typedConfig: packAny(MetadataInputMatcherSchema, matcher) },
        },
      },
    },
  };
};
