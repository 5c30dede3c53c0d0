import * as z from 'zod';
import { object, time } from '../resource/leaves.ts';

export const certificateFacts = {
  subject: z.string(),
  sans: z.array(z.string()),
  issuer: z.string(),
  notBefore: time,
  notAfter: time,
  fingerprint: z.string(),
};

export const certificate = object({
  namespace: z.string(),
  name: z.string(),
  subject: certificateFacts.subject.nullable(),
  sans: certificateFacts.sans.nullable(),
  issuer: certificateFacts.issuer.nullable(),
  notBefore: time.nullable(),
  notAfter: time.nullable(),
  fingerprint: certificateFacts.fingerprint.nullable(),
});

export const certificateUse = object({
  ...certificate.shape,
  daysLeft: z.int().nullable(),
  state: z.enum(['valid', 'expiring', 'expired', 'not-yet-valid', 'unusable']),
  usedBy: z.array(object({ kind: z.enum(['Listener', 'Gateway']), namespace: z.string(), name: z.string() })),
});
