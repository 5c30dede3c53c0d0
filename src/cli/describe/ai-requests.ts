import { counted } from '../../std/index.ts';
import type { AdminClient } from '../kit/admin-client.ts';
import { type PickOutcome, pickReasons } from '../kit/pick-words.ts';
import { type Section, section } from './section.ts';

/** Of an AiTrace in openapi.yaml. */
interface Attempt {
  readonly service: string;
  readonly status: number;
  readonly errorType: string | null;
  readonly pick: { readonly outcome: PickOutcome; readonly endpoint: string | null } | null;
}

/** How many of the last requests of all services are looked at. */
const looked = 500;

/** What became of the last requests to an AIService: which model servers of its pool answered, and why others went on to a fallback. */
export async function aiRequestsSection(client: AdminClient, service: string): Promise<Section> {
  const traces = await client.get<readonly { readonly attempts: readonly Attempt[] }[]>(
    `/v1/ai/traces?view=flat&limit=${looked}`,
  );
  const counts = new Map<string, number>();
  for (const { attempts } of traces) {
    for (const [at, attempt] of attempts.entries()) {
      if (attempt.service !== service) continue;
      const text = attemptText(attempt, attempts[at + 1]);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
  }
  const data = [...counts].map(([what, requests]) => ({ what, requests })).sort((a, b) => b.requests - a.requests);
  const lines = data.map(({ what, requests }) => `${counted(requests, 'request')}: ${what}`);
  return section('requests', data, lines.length > 0 ? lines : [`none among the last ${looked} to models`]);
}

function attemptText({ status, errorType, pick }: Attempt, next: Attempt | undefined): string {
  const server = pick?.endpoint ? `${pick.endpoint}, ` : '';
  const why = pick ? `${server}${pickReasons[pick.outcome]}, ` : '';
  const answered = errorType === null || errorType === String(status) ? `${status}` : `${status} ${errorType}`;
  return `${why}${answered}${next ? `, then ${next.service}` : ''}`;
}
