import type { LeaseApi } from '../../../../src/cluster/leader/index.ts';
import type { Lease } from '../../../../src/cluster/leader/lease.ts';
import { KubeError, type WatchEvent, type WatchOptions } from '../../../../src/kube/index.ts';
import type { CallOptions } from '../../../../src/kube/requests.ts';
import type { Clock } from '../../../../src/std/queue/index.ts';

/** One lease as an API server keeps it: a write against an old version is a conflict, and watches report every change. */
export class LeaseServer {
  lease: Lease | undefined;
  /** Every holder that was written, in order. */
  readonly holders: string[] = [];
  #version = 0;
  readonly #watchers = new Set<(event: WatchEvent) => void>();

  put(lease: Lease): Lease {
    const metadata = { ...lease.metadata, resourceVersion: String(++this.#version) };
    this.lease = { ...lease, metadata };
    this.holders.push(lease.spec?.holderIdentity ?? '');
    for (const report of [...this.#watchers]) report({ type: 'MODIFIED', object: this.lease });
    return this.lease;
  }

  /** How many watch the lease. */
  get watchers(): number {
    return this.#watchers.size;
  }

  /** The API as one client has it, over a line that can be cut. */
  line(clock: Clock): Line {
    return new Line(this, clock);
  }

  async watch(options: Pick<WatchOptions, 'signal'>, onEvent: (event: WatchEvent) => void): Promise<void> {
    this.#watchers.add(onEvent);
    await new Promise<void>((resolve) => {
      if (options.signal?.aborted) resolve();
      options.signal?.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#watchers.delete(onEvent);
  }
}

type State = 'open' | 'hanging' | 'hanging-answers';

/** `hanging`: requests are lost, and end by their timeout. `hanging-answers`: they are carried out, and the answer waits for `open`. */
export class Line implements LeaseApi {
  readonly #server: LeaseServer;
  readonly #clock: Clock;
  /** Watches that were begun over it. */
  watched = 0;
  #state: State = 'open';
  #waiting: (() => void)[] = [];

  constructor(server: LeaseServer, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
  }

  set(state: State): void {
    this.#state = state;
    if (state !== 'open') return;
    for (const go of this.#waiting.splice(0)) go();
  }

  find = (async (_type, _ref, options) => this.#answer(options, () => this.#server.lease)) as LeaseApi['find'];

  create = (async (_type, object, options) =>
    this.#answer(options, () => {
      if (this.#server.lease) throw new KubeError({ code: 'already-exists', message: 'there is one' });
      return this.#server.put(object as Lease);
    })) as LeaseApi['create'];

  replace = (async (_type, object, options) =>
    this.#answer(options, () => {
      const version = this.#server.lease?.metadata.resourceVersion;
      if (object.metadata.resourceVersion !== version)
        throw new KubeError({ code: 'conflict', message: 'the object has been modified' });
      return this.#server.put(object as Lease);
    })) as LeaseApi['replace'];

  watch: LeaseApi['watch'] = (_type, options, onEvent) => {
    this.watched += 1;
    return this.#server.watch(options, (event) => this.#state === 'open' && onEvent(event));
  };

  async #answer<T>(options: CallOptions | undefined, act: () => T): Promise<T> {
    await Promise.resolve();
    if (this.#state === 'hanging') await this.#never(options);
    const result = act();
    if (this.#state !== 'open') await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return result;
  }

  #never({ signal, timeoutMs = 30_000 }: CallOptions = {}): Promise<never> {
    return new Promise((_, reject) => {
      const end = () => reject(new KubeError({ code: 'aborted', message: 'aborted' }));
      if (signal?.aborted) end();
      signal?.addEventListener('abort', end, { once: true });
      this.#clock.after(timeoutMs, () => reject(new KubeError({ code: 'timeout', message: 'no answer' })));
    });
  }
}
