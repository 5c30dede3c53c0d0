import type { AdminClient } from '../kit/admin-client.ts';
import { limitText } from '../kit/limits.ts';
import type { Wire } from '../kit/wire.ts';
import { placeText } from './placed.ts';
import { type Section, section } from './section.ts';

type Entry = Wire['rateLimitPolicyEntry'];

/** The part of a description that says what requests to `KIND/NAMESPACE/NAME` count against, in the order in which they meet it. */
export async function limitSection(client: AdminClient, target: string): Promise<Section> {
  const entries = await client.get<readonly Entry[]>(`/v1/rate-limit-policies?${new URLSearchParams({ target })}`);
  return section('limits', entries, entries.length > 0 ? entries.map(entryText) : ['no policy']);
}

const entryText = (entry: Entry): string =>
  `${placeText(entry)}: ${limitText(entry)}${entry.message === null ? '' : `: ${entry.message}`}`;
