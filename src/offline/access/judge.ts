import * as ir from '../../ir/index.ts';
import { identityHeaders } from '../../translate/filters/index.ts';
import { hideCredentials, lastOfCredentials } from './hide-credentials.ts';
import { type AccessSource, demandsByLevel, demandsPart, type LevelDemands } from './levels.ts';
import { judgePart } from './parts/index.ts';
import { Presented, type PresentedRequest } from './presented.ts';
import { denies, type Verdict } from './verdict.ts';

/** What one part of one level does with a request. */
export type JudgedPart = {
  readonly part: ir.AccessPart;
  readonly level: ir.AccessLevel;
  /** Key of the policy behind it, where the snapshot has it. */
  readonly source?: string;
  /** Whether the request gets that far: a part before this one may have denied it. */
  readonly reached: boolean;
} & (Verdict | { readonly verdict: 'overridden'; readonly reason: string });

/** Who may come in, for one request. */
export interface Judgement {
  /** `passes` where nothing is demanded. `asks` and `unknown`: no part denies it, and some part is not decided here. */
  readonly verdict: Verdict['verdict'];
  /** What the proxy answers, where it denies. */
  readonly status?: number;
  /** In the order of the chain. */
  readonly parts: readonly JudgedPart[];
}

/** What the access filters of a proxy do with a request, in their order. The server of a forwardAuth is not asked. */
export async function judgeAccess(source: AccessSource, asked: PresentedRequest): Promise<Judgement> {
  const request = new Presented(asked);
  for (const header of strippedHeaders(source)) request.removeHeader(header);
  const levels = demandsByLevel(source, ir.accessLevels);
  const parts: JudgedPart[] = [];
  let reached = true;
  for (const part of ir.accessParts) {
    for (const demands of levels.filter((each) => demandsPart(each, part))) {
      const judged = await judgeLevel(part, demands, request);
      const { level, source: by } = demands;
      parts.push({ part, level, reached, ...(by !== undefined && { source: by }), ...judged });
      if (judged.verdict === 'denies') reached = false;
    }
    if (part === lastOfCredentials) hideCredentials(levels, request);
  }
  return { ...summaryOf(parts), parts };
}

/** What policies write is taken from clients first, where the part that writes it might not run. */
const strippedHeaders = ({ table, rule = {} }: AccessSource): readonly string[] => [
  ...table.flatMap(identityHeaders),
  ...[rule.route, rule.rule].flatMap((access) => (access?.any || access?.oidc ? identityHeaders(access) : [])),
];

type Judged = Verdict | { readonly verdict: 'overridden'; readonly reason: string };

async function judgeLevel(
  part: ir.AccessPart,
  { access, overridden }: LevelDemands,
  request: Presented,
): Promise<Judged> {
  if (overridden.includes(part)) return { verdict: 'overridden', reason: 'a policy of the route switches it off' };
  if (access.closed?.includes(part)) return closed(access.unavailable?.includes(part) ?? false);
  return (await judgePart(part, access, request)) ?? denies(500, 'nothing is known of it');
}

const closed = (mayEnd: boolean): Verdict =>
  mayEnd
    ? denies(503, 'something that the policy needs is not available yet, so no request passes')
    : denies(500, 'something that the policy names is not available, so no request passes');

function summaryOf(parts: readonly JudgedPart[]): Omit<Judgement, 'parts'> {
  // What is not decided before it may deny the request as well, with another status.
  const denied = parts.find(({ verdict }) => verdict === 'denies');
  if (denied?.verdict === 'denies') return { verdict: 'denies', status: denied.status };
  const undecided =
    parts.find(({ verdict }) => verdict === 'unknown') ?? parts.find(({ verdict }) => verdict === 'asks');
  return { verdict: (undecided?.verdict as Verdict['verdict'] | undefined) ?? 'passes' };
}
