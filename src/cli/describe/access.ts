import { ruleLabel } from '../../gateway-api/index.ts';
import type { AdminClient } from '../kit/admin-client.ts';
import type { Wire } from '../kit/wire.ts';
import { type Section, section } from './section.ts';

type Entry = Wire['accessEntry'];

/** What is asked about, as a parameter of `/v1/access`. */
export type Subject = 'route' | 'target' | 'policy';

/** The part of a description that says which policies of access are in force, at which level, or what became of them. */
export async function accessSection(client: AdminClient, subject: Subject, name: string): Promise<Section> {
  const query = new URLSearchParams({ [subject]: name });
  const entries = await client.get<readonly Entry[]>(`/v1/access?${query}`);
  const lines = entries.map((entry) => `${placeTexts[subject](entry)}: ${entryText(entry)}`);
  return section('access', entries, lines.length > 0 ? lines : [none[subject]]);
}

const none: Readonly<Record<Subject, string>> = {
  route: 'nothing is demanded of requests',
  target: 'nothing is demanded of requests here; policies of routes may demand something',
  policy: 'it demands nothing',
};

const placeTexts: Readonly<Record<Subject, (entry: Entry) => string>> = {
  route: ({ gateway, rule, target }) =>
    `at ${gateway?.namespace}/${gateway?.name}, rule ${ruleLabel(rule ?? 0, target.rule)}`,
  target: ({ target }) => targetText(target),
  policy: ({ gateway, target }) =>
    gateway === null ? targetText(target) : `at ${gateway.namespace}/${gateway.name}, ${targetText(target)}`,
};

const targetText = ({ kind, namespace, name, rule }: Entry['target']): string => {
  const what = `${kind} ${namespace}/${name}`;
  if (rule === null) return what;
  return `${kind.endsWith('Route') ? 'rule' : 'listener'} ${rule} of ${what}`;
};

/** `jwt of gateway, infra/edge: overridden by shop/health` */
function entryText({ level, part, policy, state, by, reasons }: Entry): string {
  const other = by === null ? '' : ` by ${by.namespace}/${by.name}`;
  const why = reasons.length === 0 ? '' : `, ${reasons.join('; ')}`;
  const what = part === null ? '' : `${part} of ${level}, `;
  return `${what}${policy.namespace}/${policy.name}: ${states[state]}${other}${why}`;
}

const states: Readonly<Record<Entry['state'], string>> = {
  inForce: 'in force',
  closed: 'closed, requests are answered 500',
  overridden: 'overridden',
  conflicted: 'not in force, the part is taken',
  unattached: 'no Gateway of ours',
};
