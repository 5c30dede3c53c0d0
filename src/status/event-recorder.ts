import { createHash } from 'node:crypto';
import { type KindName, type KubernetesObject, kinds, parseObjectKey } from '../gateway-api/index.ts';
import type { KubeClient } from '../kube/index.ts';
import { type Clock, KeyedQueue, systemClock } from '../std/queue/index.ts';
import { EventRate } from './event-rate.ts';

/** What `kubectl describe` is to show of an object. */
export interface ObjectEvent {
  readonly kind: KindName;
  readonly key: string;
  readonly type: 'Normal' | 'Warning';
  /** In CamelCase. */
  readonly reason: string;
  readonly message: string;
}

export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'apply'>;
  /** The object as the watch knows it; undefined when it is not there. */
  readonly lookup: (kind: KindName, key: string) => KubernetesObject | undefined;
  readonly controllerName: string;
  /** Of this replica. */
  readonly identity: string;
  readonly isLeader: () => boolean;
  readonly now: () => Date;
  readonly onResult?: (result: 'written' | 'limited' | 'error') => void;
  /** Why an Event was not written, for the log; it is not tried again. */
  readonly onFailure?: (message: string) => void;
  readonly clock?: Clock;
}

/** An Event of the API server (v1), as far as it is written. */
interface Pending {
  readonly body: KubernetesObject;
  readonly firstAt: Date;
  readonly count: number;
}

const eventType = { group: '', version: 'v1', plural: 'events', name: 'Event' };
/** The same Event again within this time is one write with a higher count. */
const repeatMs = 10_000;
/** So many are remembered for their count. */
const mostRemembered = 1000;
const mostMessage = 1000;

/**
 * Writes Kubernetes Events (core/v1) while this replica leads. One with the same object, reason and message is written again with a higher count,
 * and there is a limit for each object and for all: Events help a person, and must never be a load. Those above the limit are dropped.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #rate: EventRate;
  readonly #queue: KeyedQueue;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    const { clock = systemClock, isLeader } = options;
    this.#rate = new EventRate(clock);
    this.#queue = new KeyedQueue({
      work: (name, signal) => this.#write(name, signal),
      concurrency: 2,
      isOpen: isLeader,
      intervalMs: () => repeatMs,
      clock,
    });
  }

  record(event: ObjectEvent): void {
    const { isLeader, lookup, onResult } = this.#options;
    const object = isLeader() ? lookup(event.kind, event.key) : undefined;
    // Events are in the namespace of their object; what is in none says all in its conditions.
    if (object?.metadata.namespace === undefined) return;
    if (!this.#rate.take(`${event.kind} ${event.key}`)) {
      onResult?.('limited');
      return;
    }
    this.#add(event, object);
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  #add(event: ObjectEvent, object: KubernetesObject): void {
    const name = nameOf(event, object);
    const at = this.#options.now();
    const before = this.#pending.get(name);
    const firstAt = before?.firstAt ?? at;
    const count = (before?.count ?? 0) + 1;
    this.#pending.delete(name);
    this.#pending.set(name, { firstAt, count, body: this.#body(name, event, { object, firstAt, at, count }) });
    const [oldest] = this.#pending.keys();
    if (this.#pending.size > mostRemembered && oldest !== undefined) this.#pending.delete(oldest);
    this.#queue.add(name);
  }

  #body(
    name: string,
    { kind, key, type, reason, message }: ObjectEvent,
    { object, firstAt, at, count }: { object: KubernetesObject; firstAt: Date; at: Date; count: number },
  ): KubernetesObject {
    const { controllerName, identity } = this.#options;
    const { group, version } = kinds[kind];
    const { uid } = object.metadata;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: object.metadata.namespace },
      involvedObject: {
        apiVersion: group === '' ? version : `${group}/${version}`,
        kind,
        ...parseObjectKey(key),
        ...(uid !== undefined && { uid }),
      },
      type,
      reason,
      message: message.length > mostMessage ? `${message.slice(0, mostMessage)}…` : message,
      source: { component: 'gatewright' },
      reportingComponent: controllerName,
      reportingInstance: identity,
      firstTimestamp: secondsOf(firstAt),
      lastTimestamp: secondsOf(at),
      count,
    } as unknown as KubernetesObject;
  }

  async #write(name: string, signal: AbortSignal): Promise<void> {
    const { client, onResult, onFailure } = this.#options;
    const body = this.#pending.get(name)?.body;
    if (body === undefined) return;
    try {
      await client.apply(eventType, body, { signal });
      onResult?.('written');
    } catch (error) {
      onResult?.('error');
      onFailure?.(error instanceof Error ? error.message : String(error));
    }
  }
}

/** The same for the same object, reason and message, so that also a replica that leads later counts on. */
function nameOf({ type, reason, message }: ObjectEvent, { metadata: { name, uid } }: KubernetesObject): string {
  const digest = createHash('sha256').update([uid, type, reason, message].join('\n')).digest('hex').slice(0, 16);
  return `${name.slice(0, 230)}.${digest}`;
}

/** As metav1.Time has it. */
const secondsOf = (moment: Date): string => `${moment.toISOString().slice(0, 19)}Z`;
