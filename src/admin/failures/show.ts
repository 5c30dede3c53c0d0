import type { GraphView, ListenerView } from '../../graph/index.ts';
import { type ResponseDetail, responseDetailOf, responseDetails, responseFlags } from '../../problems/index.ts';
import { type Failure, parseRule } from '../../traffic/index.ts';
import { clientText } from '../../xds/index.ts';
import { deniedBy } from '../access/denied-by.ts';
import { nameOf } from '../access/judged.ts';
import { timeText } from '../resource/leaves.ts';
import { backendOf, listenersOf } from '../traffic/groups.ts';
import type { FailuresRecord } from './record.ts';

type Item = FailuresRecord['items'][number];

export interface ShowSources {
  readonly graph: GraphView;
  readonly listeners: readonly ListenerView[];
  readonly gatewayOf: (failure: Failure) => string;
}

/** What clients, backends and agents wrote, without what moves a cursor or turns the direction of text. */
const shown = (text: string): string => clientText(text, text.length);

export function showFailure(failure: Failure, { graph, listeners, gatewayOf }: ShowSources): Item {
  const gateway = gatewayOf(failure);
  const route = parseRule(failure.route);
  const backend = backendOf(failure.backend);
  const [first, ...others] = listenersOf(listeners, failure);
  const named = first !== undefined && others.length === 0 ? first.name : failure.listener;
  return {
    at: timeText(new Date(failure.at)),
    node: failure.node,
    gateway,
    listener: named === '' ? null : named,
    method: shown(failure.method),
    host: shown(failure.host),
    path: shown(failure.path),
    protocol: shown(failure.protocol),
    status: failure.status,
    flags: [...failure.flags],
    details: shown(failure.details),
    transportFailure: orNull(shown(failure.transportFailure)),
    route: route ?? null,
    backend: backend === undefined ? null : `${backend.namespace}/${backend.name}`,
    endpoint: orNull(shown(failure.endpoint)),
    // A replica of an older release says nothing of it.
    clientAddress: orNull(failure.clientAddress ?? ''),
    attempts: failure.attempts,
    durationMs: failure.durationMs,
    requestId: orNull(shown(failure.requestId)),
    deniedBy: shownDenial(failure, { graph, gateway, route }),
    explanation: explain(failure),
  };
}

const orNull = (text: string): string | null => (text === '' ? null : text);

function shownDenial(
  { details, passed }: Failure,
  {
    graph,
    gateway,
    route,
  }: { readonly graph: GraphView; readonly gateway: string; readonly route: ReturnType<typeof parseRule> },
): Item['deniedBy'] {
  const holdings = deniedBy(graph, { details, passed, gateway, route });
  return holdings.map(({ part, level, policy }) => ({ part, level, policy: nameOf(policy) }));
}

function explain({ flags, status, route, details }: Failure): Item['explanation'] {
  // URX only says that it was tried more than once.
  const code =
    flags.find((flag) => flag !== 'URX' && flag in responseFlags) ??
    flags[0] ??
    (route === '' && status === 404 ? 'NR' : undefined);
  const detail = responseDetailOf(details);
  if (detail !== undefined) return explanationOf(detail, responseDetails[detail]);
  const found = code === undefined ? undefined : responseFlags[code];
  if (code === undefined || found === undefined) return null;
  return explanationOf(code, found);
}

const explanationOf = (code: string, { summary, causes, steps }: ResponseDetail): Item['explanation'] => ({
  code,
  summary,
  causes: [...causes],
  steps: [...steps],
});
