import type { GraphView } from '../../graph/index.ts';
import { type CertificateFacts, certificateFacts } from '../certificates/certificate-facts.ts';
import { type CertificateEntry, listAuthorities } from '../certificates/list-certificates.ts';
import { snapshotTotals } from '../snapshot/snapshot-totals.ts';
import { certificateText, holderOf } from './of-certificates.ts';
import type { Finding } from './problem.ts';

const dayMs = 86_400_000;
/** A line is written when a certificate has so many days left, and when it ends. */
const stages = [30, 7, 1, 0];

/** One certificate in use. */
export interface CertificateStage {
  /** Undefined while it is valid, and will be for longer than the first stage. */
  readonly finding: Finding | undefined;
  /** When it reaches the next stage. */
  readonly changesInMs: number;
}

/** The certificates that proxies are sent, and the authorities that end first of what holds them, by kind and key. */
export function* certificateStage(
  graph: Pick<GraphView, 'snapshot' | 'authorities'>,
  now: Date,
): Generator<readonly [string, CertificateStage]> {
  const snapshot = graph.snapshot();
  if (snapshot === undefined) return;
  for (const [key, secret] of snapshotTotals(snapshot).secrets) {
    const facts = certificateFacts(secret);
    if (facts) yield [key, stageOf({ kind: 'Secret', key, exists: true, usedBy: [] }, facts, now)];
  }
  for (const entry of listAuthorities({ graph } as { graph: GraphView }))
    if (entry.facts) yield [`${entry.kind} ${entry.key}`, stageOf(entry, entry.facts, now)];
}

function stageOf(entry: Omit<CertificateEntry, 'facts'>, facts: CertificateFacts, now: Date): CertificateStage {
  const startsInMs = facts.notBefore.getTime() - now.getTime();
  const object = holderOf(entry);
  const message = certificateText({ ...entry, facts }, now);
  if (startsInMs > 0)
    return { finding: { code: 'certificate_not_yet_valid', object, message }, changesInMs: startsInMs };
  const leftMs = facts.notAfter.getTime() - now.getTime();
  const reached = stages.findLast((days) => leftMs <= days * dayMs);
  const next = stages.find((days) => leftMs > days * dayMs);
  const changesInMs = next === undefined ? Number.POSITIVE_INFINITY : leftMs - next * dayMs;
  if (reached === undefined) return { finding: undefined, changesInMs };
  const finding: Finding = {
    code: reached === 0 ? 'certificate_expired' : 'certificate_expiring',
    object,
    message,
    stage: reached,
  };
  return { finding, changesInMs };
}
