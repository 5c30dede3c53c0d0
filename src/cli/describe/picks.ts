import type { AdminClient } from '../kit/admin-client.ts';
import { pickLine } from '../kit/pick-words.ts';
import type { Wire } from '../kit/wire.ts';
import type { Found } from './find-object.ts';
import { type Section, section } from './section.ts';

type PoolPicks = Wire['picks']['items'][number];
type Outcomes = PoolPicks['outcomes'];

/** Which model servers of a pool answered in the last 15 minutes, and whether its picker chose them. */
export async function picksSection(client: AdminClient, { namespace, name }: Found): Promise<Section> {
  const query = new URLSearchParams({ namespace, name });
  const { source, items, warnings } = await client.get<Wire['picks']>(`/v1/picks?${query}`);
  const [picks] = items;
  const lines = picks ? linesOf(picks) : [source === 'none' ? 'proxies report none' : 'none in the last 15 minutes'];
  return section('picks', picks ?? null, [...lines, ...(source === 'none' ? [] : warnings)]);
}

function linesOf({ outcomes, endpoints }: PoolPicks): string[] {
  const rest = { ...outcomes };
  const served = endpoints.flatMap(({ endpoint, outcomes: of }) => {
    for (const [outcome, requests] of entries(of)) rest[outcome] -= requests;
    return entries(of).map(([outcome, requests]) => pickLine(outcome, endpoint, requests));
  });
  return [...served, ...entries(rest).map(([outcome, requests]) => pickLine(outcome, null, requests))];
}

const entries = (outcomes: Outcomes) =>
  (Object.entries(outcomes) as [keyof Outcomes, number][]).filter(([, requests]) => requests > 0);
