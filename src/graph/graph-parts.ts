import { type HostRules, hostRules } from '../egress/index.ts';
import {
  BackendProviders,
  CommittedView,
  Dirty,
  Edges,
  Mishaps,
  Revisions,
  RouteStates,
  StatusBook,
  Store,
} from './engine/index.ts';
import { Attachments } from './gateways/index.ts';
import type { GraphOptions } from './graph-options.ts';
import { ObjectChanges } from './object-changes.ts';
import { type ObjectIntake, PendingInputs } from './pending-inputs.ts';
import { Quarantine } from './quarantine/index.ts';
import { Resolvers } from './resolvers.ts';

/** What a graph consists of. */
export interface GraphParts<G extends ObjectIntake> {
  readonly hosts: HostRules;
  readonly store: Store;
  readonly edges: Edges;
  readonly changes: ObjectChanges;
  /** What the build under way has changed, as it was. */
  readonly committed: CommittedView;
  readonly attachments: Attachments;
  readonly statuses: StatusBook;
  readonly quarantine: Quarantine;
  readonly dirty: Dirty;
  readonly mishaps: Mishaps;
  readonly revisions: Revisions;
  readonly routeStates: RouteStates;
  readonly resolvers: Resolvers;
  readonly waiting: PendingInputs<G>;
}

/** The parts of an empty graph. */
export function graphParts<G extends ObjectIntake>(options: GraphOptions): GraphParts<G> {
  const { kinds, hosts = hostRules(), userCode } = options;
  const store = new Store(options.scope, hosts, new BackendProviders(kinds), userCode);
  const edges = new Edges(kinds);
  const committed = new CommittedView();
  const [attachments, statuses] = [new Attachments(committed), new StatusBook(committed)];
  const [quarantine, dirty] = [new Quarantine(), new Dirty()];
  const mishaps = new Mishaps(dirty, kinds, options.onMishap);
  const inputs = { store, edges, attachments, statuses, quarantine, dirty, mishaps, former: committed };
  return {
    hosts,
    store,
    edges,
    changes: new ObjectChanges({ kinds, dirty, store, edges, mishaps }),
    committed,
    attachments,
    statuses,
    quarantine,
    dirty,
    mishaps,
    revisions: new Revisions(),
    routeStates: new RouteStates(options.controllerName),
    resolvers: new Resolvers(options, inputs),
    waiting: new PendingInputs<G>(),
  };
}
