import type { AdminClient } from '../kit/admin-client.ts';
import type { Wire } from '../kit/wire.ts';
import { placeText } from './placed.ts';
import { type Section, section } from './section.ts';

type Entry = Wire['trafficPolicyEntry'];

/** The part of a description that says which policies of traffic hold at `KIND/NAMESPACE/NAME`, and which do not. */
export async function trafficSection(client: AdminClient, target: string): Promise<Section> {
  const entries = await client.get<readonly Entry[]>(`/v1/traffic-policies?${new URLSearchParams({ target })}`);
  return section('traffic', entries, entries.length > 0 ? entries.map(entryText) : ['no policy']);
}

/** `at infra/edge, rule 0: retry {"attempts":2} of route, shop/web: in force` */
function entryText(entry: Entry): string {
  const { level, group, policy, state, by, value, message } = entry;
  const what = value === null ? group : `${group} ${JSON.stringify(value)}`;
  const other = by === null ? '' : ` by ${by.namespace}/${by.name}`;
  return `${placeText(entry)}: ${what} of ${level}, ${policy.namespace}/${policy.name}: ${states[state]}${other}${message === null ? '' : `: ${message}`}`;
}

const states: Readonly<Record<Entry['state'], string>> = {
  inForce: 'in force',
  disabled: 'disabled',
  overridden: 'overridden',
  conflicted: 'not in force, the group is taken',
  rejected: 'not in force',
  leftOut: 'left out',
  closed: 'does not act, requests are answered 503',
};
