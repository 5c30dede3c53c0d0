import {
  certificateStage,
  type Finding,
  hostPlace,
  ingressFinding,
  ofIngress,
  ShadowedMatches,
  statusFinding,
} from '../../admin/index.ts';
import { type KindName, keyOf, type ObjectKey } from '../../gateway-api/index.ts';
import type { BuildResult, Graph, StatusChange } from '../../graph/index.ts';
import type { IngressFault } from '../../ingress/native/index.ts';
import type * as ir from '../../ir/index.ts';
import type { ResourceEvent } from '../../sources/index.ts';
import type { Clock } from '../../std/queue/index.ts';
import { each, type Steps, takeSlice } from '../../std/steps/index.ts';
import { checksOf, type LookedUp } from './object-checks.ts';

export interface ProblemWatchOptions extends LookedUp {
  readonly graph: Graph;
  readonly clock: Clock;
  readonly now: () => Date;
  /** Whether everything was read once: before that nothing is known to be missing. */
  readonly isPublished: () => boolean;
  /** `isOfStatus`: conditions say it. */
  readonly report: (finding: Finding, state: 'raised' | 'ended', isOfStatus: boolean) => void;
}

interface Marked {
  readonly kind: KindName;
  readonly key: string;
}

/** What belongs together, such as a Gateway and its class, often comes in several events. */
const quietMs = 500;
/** Certificates are looked at after changes, at most this often, and at the latest after an hour. */
const certificatesQuietMs = 5_000;
const certificatesLatestMs = 3_600_000;
/** What holds certificates, and what says which are used. Gateways are seen by their status. */
const ofCertificates: ReadonlySet<KindName> = new Set([
  'Secret',
  'ConfigMap',
  'ClusterTrustBundle',
  'AccessPolicy',
  'AIService',
  'BackendTLSPolicy',
  'DynamicBackend',
  'ReferenceGrant',
  'XBackend',
]);

/**
 * Reports problems when they come up and when they end. It looks only at what changed: the statuses and hosts of a build, objects of events that
 * may lack what they name, and those that do lack it when such objects change.
 */
export class ProblemWatch {
  readonly #options: ProblemWatchOptions;
  /** What stands, by sort and object. */
  readonly #raised = new Map<string, Finding>();
  readonly #dirty = new Map<string, Marked>();
  /** Who misses an object, by `KIND KEY` of what is missing. */
  readonly #awaiting = new Map<string, Map<string, Marked>>();
  /** What it misses, by id of the problem. */
  readonly #awaited = new Map<string, readonly string[]>();
  readonly #shadowed = new ShadowedMatches();
  /** Hosts that changed since the last look, by place. */
  readonly #hosts = new Map<string, ir.VirtualHost | undefined>();
  #cancelLook: (() => void) | undefined;
  #cancelCertificates: (() => void) | undefined;
  #certificatesDue = Number.POSITIVE_INFINITY;

  constructor(options: ProblemWatchOptions) {
    this.#options = options;
  }

  /** Takes an event that the graph has. */
  observe({ type, kind, object }: ResourceEvent): void {
    const name = kind.name as KindName;
    if (ofCertificates.has(name)) this.#planCertificates(certificatesQuietMs);
    this.#markDependents(name, keyOf(object));
    if (checksOf(name).length > 0) this.#mark(name, keyOf(object));
    if (type === 'deleted') this.#set(`status ${name} ${keyOf(object)}`, undefined);
  }

  /** Takes a status of a build. */
  status({ kind, key, status }: StatusChange): void {
    this.#set(`status ${kind} ${key}`, status && statusFinding(kind, key, status));
    // What it lacks may depend on whether it is ours, and targets that are gone are seen here.
    if (kind !== 'Gateway' && checksOf(kind).length > 0) this.#mark(kind, key);
    if (kind === 'Gateway') this.#planCertificates(certificatesQuietMs);
  }

  /** Takes what is wrong with an Ingress. */
  ingress(ingress: ObjectKey, faults: readonly IngressFault[]): void {
    this.#set(`ingress ${ingress}`, ingressFinding(ingress, faults));
  }

  /** Takes what changed in a build; `published` follows. */
  noting(changes: BuildResult['changes']): Steps<void> {
    return each(changes, (change) => this.#noteHosts(change));
  }

  /** A build was published. */
  published(): void {
    if (this.#certificatesDue === Number.POSITIVE_INFINITY) this.#planCertificates(0);
    this.#plan();
  }

  /** Everything that stands. */
  list(): Iterable<Finding> {
    return this.#raised.values();
  }

  stop(): void {
    this.#cancelLook?.();
    this.#cancelCertificates?.();
  }

  #noteHosts(change: ir.Change): void {
    if (change.kind === 'virtualHost')
      this.#hosts.set(hostPlace(change.gateway, `${change.table} ${change.scope}`, change.host), change.after);
    const isGone = (change.kind === 'gateway' || change.kind === 'table') && change.after === undefined;
    if (!isGone) return;
    const begin = `${change.gateway} ${change.kind === 'table' ? `${change.table} ` : ''}`;
    for (const place of this.#shadowed.places()) if (place.startsWith(begin)) this.#hosts.set(place, undefined);
  }

  #mark(kind: KindName, key: string): void {
    this.#dirty.set(`${kind} ${key}`, { kind, key });
    this.#plan();
  }

  /** Those that miss the object may find it now. Gateways are few beside routes, and classes rarely change. */
  #markDependents(kind: KindName, key: string): void {
    for (const [, who] of this.#awaiting.get(`${kind} ${key}`) ?? []) this.#mark(who.kind, who.key);
    if (kind !== 'GatewayClass') return;
    for (const gateway of this.#options.graph.list('Gateway')) this.#mark('Gateway', keyOf(gateway));
  }

  #plan(): void {
    if (!this.#options.isPublished() || this.#cancelLook || this.#dirty.size + this.#hosts.size === 0) return;
    this.#cancelLook = this.#options.clock.after(quietMs, () => this.#goOn(this.#look()));
  }

  /** Looks for one slice, and has the rest wait for the next turn: after a start that is every object and every host. */
  #goOn(steps: Steps<void>): void {
    if (!takeSlice(steps).done) {
      const next = setImmediate(() => this.#goOn(steps));
      this.#cancelLook = () => clearImmediate(next);
      return;
    }
    this.#cancelLook = undefined;
    this.#plan();
  }

  /** What is marked meanwhile is looked at too. */
  *#look(): Steps<void> {
    for (const [place, marked] of this.#dirty) {
      this.#dirty.delete(place);
      this.#lookAt(marked);
      yield;
    }
    yield* this.#lookAtHosts();
  }

  #lookAt({ kind, key }: Marked): void {
    for (const [sort, check] of checksOf(kind)) {
      const id = `${sort} ${kind} ${key}`;
      const lack = check(key, this.#options);
      this.#await(id, { kind, key }, lack?.awaits ?? []);
      this.#set(id, lack?.finding);
    }
  }

  #await(id: string, who: Marked, awaits: readonly string[]): void {
    for (const missing of this.#awaited.get(id) ?? []) {
      const waiting = this.#awaiting.get(missing);
      waiting?.delete(id);
      if (waiting?.size === 0) this.#awaiting.delete(missing);
    }
    this.#awaited.delete(id);
    if (awaits.length === 0) return;
    this.#awaited.set(id, awaits);
    for (const missing of awaits)
      this.#awaiting.set(missing, (this.#awaiting.get(missing) ?? new Map<string, Marked>()).set(id, who));
  }

  *#lookAtHosts(): Steps<void> {
    const changed = new Set<string>();
    for (const [place, host] of this.#hosts) {
      this.#hosts.delete(place);
      for (const pair of this.#shadowed.set(place, host)) changed.add(pair);
      yield;
    }
    yield* each(changed, (pair) => this.#set(`match ${pair}`, this.#shadowed.finding(pair, this.#options.graph)));
  }

  #planCertificates(delayMs: number): void {
    const { clock, isPublished } = this.#options;
    if (!isPublished()) return;
    const due = clock.now() + delayMs;
    if (due >= this.#certificatesDue) return;
    this.#cancelCertificates?.();
    this.#certificatesDue = due;
    this.#cancelCertificates = clock.after(delayMs, () => this.#lookAtCertificates());
  }

  #lookAtCertificates(): void {
    const { graph, now } = this.#options;
    this.#certificatesDue = Number.POSITIVE_INFINITY;
    const moment = now();
    let nextMs = certificatesLatestMs;
    const known = new Set<string>();
    for (const [key, { finding, changesInMs }] of certificateStage(graph, moment)) {
      nextMs = Math.min(nextMs, changesInMs);
      known.add(`certificate ${key}`);
      this.#set(`certificate ${key}`, finding, 'stage');
    }
    for (const key of this.#raised.keys())
      if (key.startsWith('certificate ') && !known.has(key)) this.#set(key, undefined);
    this.#planCertificates(Math.max(1000, nextMs));
  }

  /** What stands from now on. `stage`: said again only when cause and next step differ, as the days left change daily. */
  #set(id: string, found: Finding | undefined, by: 'message' | 'stage' = 'message'): void {
    const finding = found && ofIngress(found);
    const before = this.#raised.get(id);
    if (finding === undefined) {
      if (before === undefined) return;
      this.#raised.delete(id);
      this.#options.report(before, 'ended', isOfStatus(id));
      return;
    }
    this.#raised.set(id, finding);
    const isSame =
      before !== undefined &&
      before.code === finding.code &&
      (by === 'stage' ? before.stage === finding.stage : before.message === finding.message);
    if (!isSame) this.#options.report(finding, 'raised', isOfStatus(id));
  }
}

const isOfStatus = (id: string): boolean => id.startsWith('status ');
