import { stringify } from 'yaml';
import { type AnyStatus, isProblem } from '../../gateway-api/index.ts';
import type { AdminClient } from '../kit/admin-client.ts';
import { type SaidCondition, scopesOf } from '../kit/conditions.ts';
import { age } from '../kit/table.ts';
import type { Wire } from '../kit/wire.ts';
import { conditionSection } from './conditions.ts';
import type { Found } from './find-object.ts';
import { eventSection, eventsOf, problemSection } from './history.ts';
import { type Description, type Section, section } from './section.ts';

/** What a kind adds to what is said of every stored object. */
export type MoreSections = (client: AdminClient, object: StoredObject) => Promise<readonly Section[]>;

/** As the cluster or the directory has it. */
export interface StoredObject {
  readonly found: Found;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: AnyStatus<SaidCondition>;
}

/** Any object of the cluster or the directory: its conditions, what its kind adds, what its user wrote. */
export async function describeStored(
  client: AdminClient,
  found: Found,
  now: Date,
  more: MoreSections = async () => [],
): Promise<Description> {
  const { kind, namespace, name } = found;
  const path = [kind.toLowerCase(), namespace || '_cluster', name].map(encodeURIComponent).join('/');
  const { resource, creationTimestamp } = await client.get<Wire['resource']>(`/v1/resources/${path}`);
  const { spec = {}, status = {} } = resource as unknown as Partial<StoredObject>;
  const scopes = scopesOf(status);
  const sections = await Promise.all([
    conditionSection(scopes),
    more(client, { found, spec, status }),
    section('spec', spec, stringify(spec).trimEnd().split('\n')),
    problemSection(client, [`${kind}/${namespace}/${name}`]),
    eventSection(client, eventsOf(found), now),
  ]);
  return {
    ...found,
    ...stateOf(scopes.flatMap(({ conditions }) => conditions)),
    facts: { age: age(creationTimestamp, now) },
    sections: sections.flat(),
  };
}

function stateOf(conditions: readonly SaidCondition[]): Pick<Description, 'state' | 'isWell'> {
  if (conditions.length === 0) return { state: 'no conditions', isWell: true };
  const isWell = !conditions.some(isProblem);
  return { state: isWell ? 'accepted' : 'not all right', isWell };
}
