import { setTimeout as delay } from 'node:timers/promises';
import { findObject, wantedOf } from '../describe/find-object.ts';
import type { AdminClient } from '../kit/admin-client.ts';
import { CliError } from '../kit/cli-error.ts';
import { print } from '../kit/command.ts';
import type { CliIo } from '../kit/io.ts';
import type { OutputFormat } from '../kit/output.ts';
import type { Failure, Failures } from '../kit/traffic.ts';
import { reportLost, untilInterrupted } from '../kit/watch-shown.ts';
import { wrapped } from '../kit/wrap.ts';

export interface FailuresQuery {
  /** KIND/NAMESPACE/NAME */
  readonly route: string;
  readonly since: string;
  readonly limit: number;
}

/** The one route that is meant, as KIND/NAMESPACE/NAME. Throws a CliError as `describe` does. */
export async function findRoute(client: AdminClient, text: string, namespace: string | undefined): Promise<string> {
  const isWithKind = /^[a-z]*route\/|^[^/]+\/[^/]+\//i.test(text);
  const wanted = isWithKind ? wantedOf(text, undefined, namespace) : wantedOf('route', text, namespace);
  if (!wanted.kind.endsWith('Route'))
    throw new CliError(`${wanted.kind} is no kind of route: only requests of routes are kept`);
  const { kind, namespace: where, name } = await findObject(client, wanted);
  return `${kind}/${where}/${name}`;
}

export const readFailures = (client: AdminClient, query: FailuresQuery): Promise<Failures> =>
  client.get<Failures>(`/v1/failures?${new URLSearchParams({ ...query, limit: String(query.limit) })}`);

const allRequests =
  'all requests, also those that succeed: turn on spec.accessLog of the DataPlane, and read the log of the proxies (kubectl logs)';

/** The oldest first, as logs are read. Each flag is explained once. */
export function failuresText({ items, sampled, warnings }: Failures, route: string, io: Pick<CliIo, 'width'>): string {
  const { kept, seen } = sampled;
  const count = seen !== null && seen > kept ? `${seen} failed, of which ${kept} are kept` : `${kept} failed`;
  const explained = new Map(items.flatMap(({ explanation }) => (explanation ? [[explanation.code, explanation]] : [])));
  const lines = [
    items.length === 0 ? `no failed request of ${route} is known in this time` : `requests of ${route}: ${count}`,
    ...items.toReversed().map(failureLine),
    ...[...explained.values()].flatMap(({ code, summary, steps }) => [
      '',
      `${code}: ${summary}`,
      ...steps.map((step) => `  next: ${step}`),
    ]),
    '',
    ...warnings.map((warning) => `note: ${warning}`),
    allRequests,
  ];
  return wrapped(lines, io.width).join('\n');
}

/** Hosts and paths are what strangers sent: none of it may move the cursor of a terminal, or turn the direction of text. */
const printable = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (bad) => `\\u{${bad.codePointAt(0)?.toString(16)}}`);

/** One request: when, what, what it was answered, and why. */
export function failureLine(failure: Failure): string {
  const { at, method, host, path, status, flags, details, transportFailure, backend, endpoint, attempts, durationMs } =
    failure;
  // A control plane of an older release says nothing of it.
  const from = failure.clientAddress ? ` from ${failure.clientAddress}` : '';
  const to = [backend, endpoint].filter(Boolean).join(' at ');
  const tries = attempts > 1 ? `, ${attempts} attempts` : '';
  const why = [flags.join(','), details, transportFailure].filter(Boolean).join(', ');
  const answer = status === 0 ? 'no answer' : String(status);
  return printable(
    `${at} ${method} ${host}${path}${from}: ${answer} after ${durationMs}ms${tries}${to === '' ? '' : `, to ${to}`}${why === '' ? '' : `: ${why}`}`,
  );
}

interface Following {
  readonly route: string;
  /** Shown already. */
  readonly seen: readonly Failure[];
  readonly output: OutputFormat;
}

const pollMs = 2_000;
const idOf = (failure: Failure): string => JSON.stringify([failure.at, failure.node, failure.requestId, failure.path]);

/** New ones as they come, one line or one JSON text each, until interrupted. */
export async function followFailures(
  client: AdminClient,
  io: CliIo,
  { route, seen, output }: Following,
): Promise<void> {
  const signal = untilInterrupted();
  const lost = reportLost(io);
  let known = new Set(seen.map(idOf));
  for (;;) {
    await delay(pollMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    try {
      const { items } = await readFailures(client, { route, since: '1m', limit: 500 });
      const news = items.filter((failure) => !known.has(idOf(failure))).toReversed();
      for (const failure of news) print(io, output === 'table' ? failureLine(failure) : JSON.stringify(failure));
      // Older ones cannot come again: an answer has the last minute.
      known = new Set([...items.map(idOf), ...(items.length === 0 ? known : [])]);
    } catch (error) {
      lost(error as Error);
    }
  }
}
