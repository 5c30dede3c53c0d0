import * as z from 'zod';
import { parseObjectKey } from '../../gateway-api/index.ts';
import type { AccessHolding, AccessPlace, GraphView } from '../../graph/index.ts';
import { type AccessSource, type JudgedPart, judgeAccess, type PresentedRequest } from '../../offline/access/index.ts';
import { count, flag, named } from '../resource/leaves.ts';
import type { Shown } from '../resource/shown.ts';
import { level, part, policyName } from './leaves.ts';

/** What a request meets, and where policies are looked for. */
export interface AccessQuestion {
  readonly source: AccessSource;
  readonly request: PresentedRequest;
  readonly place: AccessPlace;
  /** The listener does so. */
  readonly asksForCertificates: boolean;
}

export const judgedAccess = named(
  'JudgedAccess',
  'What policies of access do with a request, worked out from the snapshot. No credentials are in it.',
  {
    verdict: z
      .enum(['passes', 'denies', 'asks', 'unknown'])
      .describe('`asks`: a server decides, which was not asked. `unknown`: the question did not say enough.'),
    status: count.nullable().describe('What the proxy answers where a part denies.'),
    parts: z
      .array(
        named('JudgedPart', 'One part of one level.', {
          part: part.describe('Which part of the policy.'),
          level: level.describe('Where its policy is attached.'),
          policy: policyName.nullable().describe('Null while a change is being built.'),
          verdict: z.enum(['passes', 'denies', 'asks', 'unknown', 'overridden']),
          status: count.nullable(),
          reason: z.string(),
          reached: flag.describe('False: a part before this one denies the request.'),
        }),
      )
      .describe('In the order in which requests meet them.'),
  },
);

type JudgedRecord = Shown<typeof judgedAccess>;
type PartRecord = JudgedRecord['parts'][number];

/** What is done with a request, part by part, with the policies that demand it. */
export async function judgedRecord(
  graph: GraphView,
  { source, request, place }: Omit<AccessQuestion, 'asksForCertificates'>,
): Promise<JudgedRecord> {
  const { verdict, status, parts } = await judgeAccess(source, request);
  const holdings = parts.length === 0 ? [] : graph.accessAt(place);
  return { verdict, status: status ?? null, parts: parts.map((each) => partRecord(each, holdings)) };
}

function partRecord(judged: JudgedPart, holdings: readonly AccessHolding[]): PartRecord {
  const { part, level, reached, verdict } = judged;
  const holding = holdings.find((each) => each.level === level && each.part === part && each.state !== 'conflicted');
  const policy = holding?.policy ?? judged.source;
  return {
    part,
    level,
    policy: policy === undefined ? null : nameOf(policy),
    verdict,
    status: verdict === 'denies' ? judged.status : null,
    reason: reasonOf(judged, holding),
    reached,
  };
}

function reasonOf({ verdict, reason }: JudgedPart, holding: AccessHolding | undefined): string {
  if (verdict === 'overridden' && holding?.by !== undefined) return `overridden by ${holding.by}`;
  if (holding?.state !== 'closed' || holding.faults.length === 0) return reason;
  return holding.faults.map(({ reason: code, message }) => `${code}: ${message}`).join('; ');
}

export function nameOf(policy: string): { readonly namespace: string; readonly name: string } {
  const { namespace, name } = parseObjectKey(policy);
  return { namespace, name };
}

/** The part that denies the request, in words; undefined: none does. */
export function denialText({ verdict, parts }: JudgedRecord): string | undefined {
  const denying = parts.find((each) => each.verdict === 'denies');
  if (verdict !== 'denies' || !denying) return undefined;
  const { part, policy, reason } = denying;
  return `${part}${policy ? ` of AccessPolicy ${policy.namespace}/${policy.name}` : ''}: ${reason}`;
}
