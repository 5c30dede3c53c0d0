import type { ListenerView } from '../../graph/index.ts';
import { responseFlags } from '../../problems/index.ts';
import { type Failure, parseRule } from '../../traffic/index.ts';
import { clientText } from '../../xds/index.ts';
import { timeText } from '../resource/leaves.ts';
import { backendOf, listenersOf } from '../traffic/groups.ts';
import type { FailuresRecord } from './record.ts';

type Item = FailuresRecord['items'][number];

export interface ShowSources {
  readonly listeners: readonly ListenerView[];
  readonly gatewayOf: (failure: Failure) => string;
}

/** What clients, backends and agents wrote, without what moves a cursor or turns the direction of text. */
const shown = (text: string): string => clientText(text, text.length);

export function showFailure(failure: Failure, { listeners, gatewayOf }: ShowSources): Item {
  const route = parseRule(failure.route);
  const backend = backendOf(failure.backend);
  const [first, ...others] = listenersOf(listeners, failure);
  const named = first !== undefined && others.length === 0 ? first.name : failure.listener;
  return {
    at: timeText(new Date(failure.at)),
    node: failure.node,
    gateway: gatewayOf(failure),
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
    attempts: failure.attempts,
    durationMs: failure.durationMs,
    requestId: orNull(shown(failure.requestId)),
    explanation: explain(failure),
  };
}

const orNull = (text: string): string | null => (text === '' ? null : text);

function explain({ flags, status, route }: Failure): Item['explanation'] {
  // URX only says that it was tried more than once.
  const code =
    flags.find((flag) => flag !== 'URX' && flag in responseFlags) ??
    flags[0] ??
    (route === '' && status === 404 ? 'NR' : undefined);
  const found = code === undefined ? undefined : responseFlags[code];
  if (code === undefined || found === undefined) return null;
  const { summary, causes, steps } = found;
  return { code, summary, causes: [...causes], steps: [...steps] };
}
