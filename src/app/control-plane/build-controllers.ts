import { fileFinding, problemEvent, resourceEvent } from '../../admin/index.ts';
import type { Replicas } from '../../cluster/replicas/index.ts';
import { createControllers } from '../../controllers/index.ts';
import { keyOf, kindsRead } from '../../gateway-api/index.ts';
import type { Builder } from '../../graph/index.ts';
import type { SourceListener } from '../../sources/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import type { KeysWatch } from './build-keys.ts';
import type { Core } from './core.ts';
import type { Edges } from './edges.ts';
import type { ModulesWatch } from './modules-watch.ts';
import { optIns } from './opt-ins.ts';
import type { ProblemWatch } from './problem-watch.ts';
import type { Progress } from './progress.ts';
import type { ServedIngresses } from './served-ingresses.ts';
import type { SnapshotCauses } from './snapshot-causes.ts';

export interface ControllersParts {
  readonly builder: Builder;
  readonly replicas: Pick<Replicas, 'peersSynced'>;
  readonly progress: Progress;
  readonly problems: Pick<ProblemWatch, 'observe'>;
  readonly causes: SnapshotCauses;
  /** What is fetched for objects. */
  readonly watches: readonly Pick<KeysWatch, 'observe'>[];
  readonly modules: Pick<ModulesWatch, 'settled'>;
  readonly edges: Required<Pick<Edges, 'statuses' | 'unreadable'>>;
  readonly ingresses: ServedIngresses | undefined;
}

/** Takes the source's events to the graph, and to those who want to know of them. */
export function buildControllers(
  { graph, config, events, metrics, trigger, logger }: Core,
  {
    builder,
    replicas,
    progress,
    problems,
    causes,
    watches,
    modules,
    ingresses,
    edges: { statuses, unreadable },
  }: ControllersParts,
): SourceListener {
  const log = componentLogger(logger, 'control-plane');
  return createControllers({
    graph,
    builder,
    kinds: kindsRead(...optIns(config)),
    // What other replicas hold back is not to be published first and taken back then, nor what runs be closed until it is pulled again.
    before: () => Promise.all([replicas.peersSynced, ingresses?.start(), modules.settled()]),
    onEvent(event, isRelevant) {
      if (isRelevant) causes.add(event);
      metrics.controllers.event(event.kind.name);
      statuses.observe?.(event);
      problems.observe(event);
      for (const watch of watches) watch.observe(event);
      ingresses?.observe(event);
      // What was there at the start is no news.
      if (progress.isPublished) events.add('resource', resourceEvent(event));
    },
    onFault: ({ kind, object }, error) =>
      log.error({ kind: kind.name, object: keyOf(object), err: error }, 'failed to apply a watch event'),
    onAvailability(kind, available, message) {
      progress.availability.set(kind.name, { available, message });
      log.info({ kind: kind.name, available }, message);
    },
    onNamespace(namespace, available, message) {
      unreadable.set(namespace, available ? undefined : message);
      metrics.controllers.namespaceReadable(namespace, available);
      if (available) log.info({ namespace }, 'the namespace can be read');
      else log.warn({ namespace }, `the namespace cannot be read: ${message}; the others go on, and it is tried again`);
      if (available) progress.moreKnown();
      trigger.fire();
    },
    onProblem: (problem, state) => events.add('problem', problemEvent(fileFinding(problem), state)),
    onKindSynced: (missing) => progress.waitsFor(missing),
    onSynced: () => log.info('initial resource sync finished'),
  });
}
