import { accessEvent, snapshotEvent } from '../../admin/index.ts';
import type { Replicas } from '../../cluster/replicas/index.ts';
import { Builder, type BuildResult } from '../../graph/index.ts';
import { weakerAccess } from '../../offline/access/index.ts';
import { componentLogger, type Logger } from '../../telemetry/index.ts';
import type { KeysWatch } from './build-keys.ts';
import type { Convergence } from './convergence.ts';
import type { Core } from './core.ts';
import type { Proxies } from './edges.ts';
import type { ProblemWatch } from './problem-watch.ts';
import type { Progress } from './progress.ts';
import type { Publisher } from './publisher.ts';
import type { Led, SnapshotCauses } from './snapshot-causes.ts';

export interface BuilderParts {
  readonly publisher: Publisher;
  readonly replicas: Pick<Replicas, 'built'>;
  readonly progress: Progress;
  readonly problems: Pick<ProblemWatch, 'noting' | 'published'>;
  readonly causes: SnapshotCauses;
  readonly convergence: Pick<Convergence, 'published'>;
  readonly keys: Pick<KeysWatch, 'built'>;
  readonly proxies: Pick<Proxies, 'complete'>;
}

/** The loop that builds and publishes, and what is known, counted and logged of each build. */
export function buildBuilder(core: Core, parts: BuilderParts): Builder {
  const { config, graph, xds, metrics } = core;
  const { publisher, progress, causes } = parts;
  // Made once: that takes a tenth of a millisecond, which would be the time of each build.
  const log = componentLogger(core.logger, 'control-plane');
  let led: Led = causes.take();
  return new Builder({
    graph,
    quietMs: config.debounce.quietMs,
    maxMs: config.debounce.maxMs,
    isPushing: () => xds.isPushing,
    *publish(result) {
      // What comes while proxies are sent this is in the next one.
      led = causes.take();
      yield* publisher.publish(result);
      yield* parts.problems.noting(result.changes);
    },
    onBuilt: (durationMs, result, began) => built(core, parts, { durationMs, result, began, led, log }),
    onFailed(error, durationMs) {
      metrics.builds.failed(durationMs / 1000);
      progress.failures.report(error);
    },
  });
}

interface Done {
  readonly durationMs: number;
  readonly result: BuildResult;
  /** Of `performance.now`. */
  readonly began: number;
  readonly led: Led;
  readonly log: Logger;
}

function built(
  core: Core,
  { replicas, progress, problems, convergence, keys, proxies }: BuilderParts,
  { durationMs, result, began, led, log }: Done,
): void {
  const { events, history, metrics } = core;
  const { snapshot, changes, statuses } = result;
  replicas.built();
  metrics.builds.succeeded(durationMs / 1000);
  const isFirst = progress.published();
  problems.published();
  if (isFirst) keys.built();
  // Conditions may change where nothing of the snapshot does, and those who follow want to see them.
  // What was there at the start is no news.
  const { since, ...causes } = led;
  const shown = isFirst ? { changed: [], changedCount: 0 } : causes;
  if (changes.length > 0 || isFirst)
    core.traced.tracer?.built({
      ...shown,
      snapshot: snapshot.id,
      since,
      began,
      changes: changes.length,
      statuses: statuses.length,
    });
  if (changes.length + statuses.length > 0 || isFirst) events.add('snapshot', { ...snapshotEvent(snapshot), ...shown });
  if (changes.length > 0 || isFirst) history.add({ id: snapshot.id, at: new Date(), ...shown, changes });
  if (changes.length > 0 && !isFirst)
    convergence.published(snapshot.id, new Set(changes.map(({ gateway }) => gateway)), since ?? began);
  progress.failures.over();
  if (!isFirst) reportWeaker(result, { events, log });
  if (changes.length > 0)
    log.debug({ snapshot: snapshot.id, changes: changes.length, durationMs }, 'snapshot published');
  if (progress.takeMoreKnown()) proxies.complete();
  if (isFirst) log.info({ snapshot: snapshot.id, ...snapshot.counts }, 'first snapshot published');
}

/** One change of a policy may be for thousands of routes. */
const mostReported = 20;

/** An operator who reads the log later sees when a route began to let in more, and because of what. */
function reportWeaker(
  { changes, snapshot }: BuildResult,
  { events, log }: Pick<Core, 'events'> & { log: Logger },
): void {
  const weaker = weakerAccess(changes, snapshot);
  for (const each of weaker.slice(0, mostReported)) {
    events.add('access', accessEvent(each));
    log.info({ part: each.part, gateway: each.gateway, route: each.route }, each.message);
  }
  if (weaker.length > mostReported) log.info(`access became weaker for ${weaker.length - mostReported} more`);
}
