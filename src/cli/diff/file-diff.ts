import type { AdminClient } from '../kit/admin-client.ts';
import { hiddenDifference, unified } from '../kit/unified.ts';
import type { Wire } from '../kit/wire.ts';

type Diff = Wire['diff'];

/** What would change if these objects were applied, as the control plane finds it. */
export const fileDiff = (client: AdminClient, objects: readonly object[]): Promise<Diff> =>
  client.post<Diff>('/v1/diff', { apiVersion: 'v1', kind: 'List', items: objects }, 60_000);

export const isWithoutDifference = ({ resources, statuses, envoy }: Diff): boolean =>
  resources.every(({ operation }) => operation === 'unchanged') && statuses.length + envoy.length === 0;

/** Objects first, then what they do to statuses, then what proxies would be sent. */
export function fileDiffText(diff: Diff): string {
  const { resources, statuses, envoy, skipped } = diff;
  const changed = resources.filter(({ operation }) => operation !== 'unchanged');
  const parts = [
    // A control plane of an older release says nothing of it.
    ...(diff.weaker ?? []).map(({ message }) => `WEAKER ACCESS: ${message}`),
    ...(diff.ingresses ?? []).flatMap(ingressLines),
    ...changed.map((one) => part('live', 'files', `${one.kind} ${place(one)}`, one)),
    ...statuses.map((one) => part('now', 'then', `status of ${one.kind} ${place(one)}`, one)),
    ...envoy.map((one) =>
      part(
        'now',
        'then',
        `${one.typeUrl.slice(one.typeUrl.lastIndexOf('.') + 1)} ${one.name} of Gateway ${one.gateway}`,
        one,
      ),
    ),
  ];
  const passed = skipped.map((one) => `not compared: ${one.kind} ${place(one)}: ${one.reason}`);
  const counts = `${changed.length} of ${count(resources.length, 'object')}, ${count(statuses.length, 'status', 'statuses')} and ${count(envoy.length, 'Envoy resource')} would change`;
  return [...parts, ...passed, isWithoutDifference(diff) ? 'nothing would change' : counts].join('\n');
}

/** Each fault of an Ingress, as its Events have them. */
function ingressLines({ before, after, ...one }: Diff['ingresses'][number]): readonly string[] {
  const textOf = ({ reason, message }: (typeof after)[number]) => `${reason}: ${message}`;
  const [now, then] = [before.map(textOf), after.map(textOf)];
  return [
    ...then.map((text) => `Ingress ${place(one)}: ${text}${now.includes(text) ? ' (as now)' : ''}`),
    ...now.flatMap((text) => (then.includes(text) ? [] : [`Ingress ${place(one)}: no longer ${text}`])),
  ];
}

const place = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  namespace === '' ? name : `${namespace}/${name}`;

function part(
  from: string,
  to: string,
  name: string,
  { before, after }: { readonly before?: unknown; readonly after?: unknown },
): string {
  return unified({ before: `${from}/${name}`, after: `${to}/${name}` }, before, after) || hiddenDifference(name);
}

const count = (number: number, one: string, many = `${one}s`): string => `${number} ${number === 1 ? one : many}`;
