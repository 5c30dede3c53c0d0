import type { wire } from '../../tools/index.ts';
import { clusterText, lines, mostListed, paragraphs } from '../cluster-text.ts';
import { type Answer, type Answering, type ProblemList, problemLines } from './answering.ts';

/** Which proxies do not run the newest snapshot, and why. */
export async function* proxiesAnswer(answering: Answering): Answer {
  const { frame, call, say } = answering;
  const { snapshotVersion, nodes } = (yield* call('snapshot_sync')) as wire.SyncAnswer;
  if (nodes.length === 0) return say.noProxies;
  const id = snapshotVersion ?? '?';
  const named = frame.objects
    .filter(({ kind }) => kind === 'Node' || kind === 'Gateway')
    .map(({ kind, namespace, name }) => (kind === 'Node' ? name : `${namespace}/${name}`));
  const wanted =
    named.length === 0
      ? nodes
      : nodes.filter(({ nodeId, gateway }) => named.includes(nodeId) || named.includes(gateway));
  const behind = wanted.filter(({ sync, state }) => sync === 'drifted' || state === 'awaiting-ready');
  const shown = (behind.length > 0 ? behind : wanted).slice(0, mostListed);
  const found =
    behind.length === 0 ? undefined : ((yield* call('list_problems', { area: 'data plane' })) as ProblemList);
  return paragraphs(
    behind.length === 0 ? say.proxiesCurrent(wanted.length, id) : say.proxiesBehind(behind.length, wanted.length, id),
    found !== undefined && found.total > 0
      ? problemLines(found.problems, found.total, answering)
      : lines(
          shown.map(({ nodeId, gateway, state, message, lastNackMessage }) =>
            say.proxy(clusterText(nodeId), clusterText(gateway), state, clusterText(lastNackMessage ?? message)),
          ),
        ),
    (found?.total ?? 0) === 0 && wanted.length > shown.length && say.more(wanted.length - shown.length),
  );
}

/** Version, snapshot and leader. */
export async function* controlPlaneAnswer({ call, say }: Answering): Answer {
  const { version, snapshotVersion, leader, warnings } = (yield* call('summary')) as wire.SummaryAnswer;
  const replicas = warnings.filter(({ message }) => /replica/.test(message)).map(({ message }) => clusterText(message));
  return paragraphs(
    say.controlPlane(version, snapshotVersion ?? '?', clusterText(leader.identity), leader.isLeader),
    lines(replicas),
  );
}
