import { certificateStage, classFault, type Finding, parentFault, statusFinding } from '../../admin/index.ts';
import { isRouteKind, type KindName, keyOf, parseObjectKey, type RouteKindName } from '../../gateway-api/index.ts';
import type { Graph, StatusChange } from '../../graph/index.ts';
import type { ResourceEvent } from '../../sources/index.ts';
import type { Clock } from '../../std/queue/index.ts';

export interface ProblemWatchOptions {
  readonly graph: Graph;
  readonly controllerName: string;
  /** Namespaces that are read; undefined: all. */
  readonly reads: readonly string[] | undefined;
  readonly clock: Clock;
  readonly now: () => Date;
  /** Whether everything was read once: before that nothing is known to be missing. */
  readonly isPublished: () => boolean;
  readonly report: (finding: Finding, state: 'raised' | 'ended') => void;
}

/** What belongs together, such as a Gateway and its class, often comes in several events. */
const quietMs = 500;
/** Certificates are looked at after changes, at most this often, and at the latest after an hour. */
const certificatesQuietMs = 5_000;
const certificatesLatestMs = 3_600_000;

/**
 * Reports problems when they come up and when they end. It looks only at what changed: the statuses of a build, Gateways and routes of events, and
 * routes that miss a parent when Gateways change.
 */
export class ProblemWatch {
  readonly #options: ProblemWatchOptions;
  /** What stands, by sort and object. */
  readonly #raised = new Map<string, Finding>();
  readonly #dirty = new Map<string, { readonly kind: KindName; readonly key: string }>();
  #cancelLook: (() => void) | undefined;
  #cancelCertificates: (() => void) | undefined;
  #certificatesDue = Number.POSITIVE_INFINITY;

  constructor(options: ProblemWatchOptions) {
    this.#options = options;
  }

  /** Takes an event that the graph has. */
  observe({ type, kind, object }: ResourceEvent): void {
    const name = kind.name as KindName;
    if (name === 'Secret') this.#planCertificates(certificatesQuietMs);
    if (name === 'GatewayClass' || name === 'Gateway' || name === 'ListenerSet') this.#markDependents(name);
    if (name === 'Gateway' || isRouteKind(name)) this.#mark(name, keyOf(object));
    if (type === 'deleted') this.#set(`status ${name} ${keyOf(object)}`, undefined);
  }

  /** Takes a status of a build. */
  status({ kind, key, status }: StatusChange): void {
    this.#set(`status ${kind} ${key}`, status && statusFinding(kind, key, status));
    if (isRouteKind(kind) && this.#missesParent(status)) this.#mark(kind, key);
    if (kind === 'Gateway') this.#planCertificates(certificatesQuietMs);
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

  #missesParent(status: StatusChange['status']): boolean {
    return status === undefined || ('parents' in status && status.parents.length === 0);
  }

  #mark(kind: KindName, key: string): void {
    this.#dirty.set(`${kind} ${key}`, { kind, key });
    this.#plan();
  }

  /** Gateways are few beside routes, and classes rarely change; of routes, only those that miss a parent can find one. */
  #markDependents(kind: 'GatewayClass' | 'Gateway' | 'ListenerSet'): void {
    for (const { code, object } of this.#raised.values()) {
      const isDependent = kind === 'GatewayClass' ? code === 'gateway_class_unknown' : code === 'parent_unknown';
      if (isDependent) this.#mark(object.kind as KindName, `${object.namespace}/${object.name}`);
    }
    if (kind !== 'GatewayClass') return;
    for (const gateway of this.#options.graph.list('Gateway')) this.#mark('Gateway', keyOf(gateway));
  }

  #plan(): void {
    if (!this.#options.isPublished() || this.#cancelLook || this.#dirty.size === 0) return;
    this.#cancelLook = this.#options.clock.after(quietMs, () => {
      this.#cancelLook = undefined;
      this.#look();
    });
  }

  #look(): void {
    const dirty = [...this.#dirty.values()];
    this.#dirty.clear();
    for (const { kind, key } of dirty) {
      const finding = kind === 'Gateway' ? this.#classFinding(key) : this.#parentFinding(kind as RouteKindName, key);
      this.#set(`reference ${kind} ${key}`, finding);
    }
  }

  #classFinding(key: string): Finding | undefined {
    const gateway = this.#options.graph.find('Gateway', key);
    const message = gateway && classFault(gateway, this.#options);
    return message === undefined
      ? undefined
      : { code: 'gateway_class_unknown', object: { kind: 'Gateway', ...parseObjectKey(key) }, message };
  }

  #parentFinding(kind: RouteKindName, key: string): Finding | undefined {
    const route = this.#options.graph.find(kind, key);
    const message = route && parentFault(route, this.#options);
    return message === undefined
      ? undefined
      : { code: 'parent_unknown', object: { kind, ...parseObjectKey(key) }, message };
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
    for (const [key, { finding, changesInMs }] of certificateStage(graph.snapshot(), moment)) {
      nextMs = Math.min(nextMs, changesInMs);
      known.add(`certificate ${key}`);
      this.#set(`certificate ${key}`, finding, 'stage');
    }
    for (const key of this.#raised.keys())
      if (key.startsWith('certificate ') && !known.has(key)) this.#set(key, undefined);
    this.#planCertificates(Math.max(1000, nextMs));
  }

  /** What stands from now on. `stage`: said again only when cause and next step differ, as the days left change daily. */
  #set(id: string, finding: Finding | undefined, by: 'message' | 'stage' = 'message'): void {
    const before = this.#raised.get(id);
    if (finding === undefined) {
      if (before === undefined) return;
      this.#raised.delete(id);
      this.#options.report(before, 'ended');
      return;
    }
    this.#raised.set(id, finding);
    const isSame =
      before !== undefined &&
      before.code === finding.code &&
      (by === 'stage' ? before.stage === finding.stage : before.message === finding.message);
    if (!isSame) this.#options.report(finding, 'raised');
  }
}
