import * as z from 'zod';
import { named, object, time } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';

/** What a certificate says. */
export const certificateFacts = {
  subject: z.string(),
  sans: z.array(z.string()),
  issuer: z.string(),
  notBefore: time,
  notAfter: time,
  fingerprint: z.string(),
};

export const certificate = named(
  'Certificate',
  'A Secret that something of ours names; facts are null when it is missing or cannot be used.',
  {
    namespace: z.string(),
    name: z.string(),
    subject: certificateFacts.subject.nullable(),
    sans: certificateFacts.sans.nullable(),
    issuer: certificateFacts.issuer.nullable(),
    notBefore: time.nullable(),
    notAfter: time.nullable(),
    fingerprint: certificateFacts.fingerprint.nullable(),
  },
);

export const certificateUse = named(
  'CertificateUse',
  'Certificates with their users: a listener under its full name, a Gateway towards its backends, or what checks others by authorities. Of several authorities, the one that ends first.',
  {
    kind: z
      .enum(['Secret', 'ConfigMap', 'ClusterTrustBundle'])
      .describe('Of what holds it; authorities are not in Secrets.'),
    ...certificate.shape,
    daysLeft: z.int().nullable().describe('Whole days until it ends, negative when it has.'),
    state: z.enum(['valid', 'expiring', 'expired', 'not-yet-valid', 'unusable', 'missing']),
    usedBy: z.array(
      object({
        kind: z.enum(['Listener', 'Gateway', 'AccessPolicy', 'AIService', 'BackendTLSPolicy', 'XBackend']),
        namespace: z.string(),
        name: z.string(),
      }),
    ),
  },
);

export type CertificateRecord = Shown<typeof certificateUse>;
