import { objectKey, parseObjectKey } from '../../gateway-api/index.ts';
import type { Snapshot } from '../../ir/index.ts';
import { type CertificateFacts, certificateFacts } from '../certificates/certificate-facts.ts';
import { snapshotTotals } from '../snapshot/snapshot-totals.ts';
import { certificateText } from './of-certificates.ts';
import type { Finding } from './problem.ts';

const dayMs = 86_400_000;
/** A line is written when a certificate has so many days left, and when it ends. */
const stages = [30, 7, 1, 0];

/** One certificate that is served. */
export interface CertificateStage {
  /** Undefined while it is valid for more than the first stage. */
  readonly finding: Finding | undefined;
  /** When it reaches the next stage. */
  readonly changesInMs: number;
}

/** The certificates that proxies are sent, by key. */
export function* certificateStage(
  snapshot: Snapshot | undefined,
  now: Date,
): Generator<readonly [string, CertificateStage]> {
  if (snapshot === undefined) return;
  for (const [key, secret] of snapshotTotals(snapshot).secrets) {
    const facts = certificateFacts(secret);
    if (facts) yield [key, stageOf(key, facts, now)];
  }
}

function stageOf(key: string, facts: CertificateFacts, now: Date): CertificateStage {
  const leftMs = facts.notAfter.getTime() - now.getTime();
  const reached = stages.findLast((days) => leftMs <= days * dayMs);
  const next = stages.find((days) => leftMs > days * dayMs);
  const changesInMs = next === undefined ? Number.POSITIVE_INFINITY : leftMs - next * dayMs;
  if (reached === undefined) return { finding: undefined, changesInMs };
  const { namespace, name } = parseObjectKey(key);
  const finding: Finding = {
    code: reached === 0 ? 'certificate_expired' : 'certificate_expiring',
    object: { kind: 'Certificate', namespace, name },
    message: certificateText({ key: objectKey(namespace, name), facts, exists: true, usedBy: [] }, now),
    stage: reached,
  };
  return { finding, changesInMs };
}
