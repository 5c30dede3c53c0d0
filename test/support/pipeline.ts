import { kindModules } from '../../src/controllers/index.ts';
import { typeUrls } from '../../src/envoy/index.ts';
import { Graph } from '../../src/graph/index.ts';
import { Translator } from '../../src/translate/index.ts';
import { ResourceGroup } from '../../src/xds/session/resource-group.ts';
import { Session } from '../../src/xds/session/session.ts';
import type { Push } from '../../src/xds/session/session-options.ts';
import { throwMishap } from './mishaps.ts';
import { controllerName } from './objects.ts';
import { type AnyObject, keyed, put, someTime } from './world.ts';

/** What one change led to. */
export interface Outcome {
  /** Bytes of the responses to one proxy, the manifest included; without nonces, which become longer. */
  readonly bytes: number;
  readonly responses: number;
  /** Statuses that are to be written. */
  readonly statuses: number;
}

/** From an object to the bytes for one proxy of one Gateway, which takes everything, without streams and timers between. */
export class Pipeline {
  readonly #graph = new Graph({
    controllerName,
    kinds: kindModules,
    bind: (_gateway, port) => ({ address: '127.0.0.1', port }),
  });
  readonly #translator = new Translator();
  readonly #group: ResourceGroup;
  readonly #session: Session;
  #epoch = 0;

  constructor(gateway: string) {
    this.#group = new ResourceGroup(gateway);
    this.#session = new Session({
      variant: 'delta',
      group: this.#group,
      newest: () => this.#group.snapshotVersion(this.#epoch, this.#marker()),
      wantsManifest: true,
      maxResponseBytes: Number.POSITIVE_INFINITY,
      maxFirstRoutesBytes: Number.POSITIVE_INFINITY,
      bindRetryMs: 5_000,
      lingerMs: 600_000,
      clock: () => someTime,
      observer: { acked() {}, nacked: rejected, rejected, relented() {}, trialEnded() {}, tried() {}, applied() {} },
    });
    this.#group.join(this.#session);
    const { cluster, listener, scopedRoute, endpoint, secret, extension, snapshot } = typeUrls;
    for (const typeUrl of [cluster, listener, scopedRoute, endpoint, secret, extension, snapshot])
      this.#ask(typeUrl, '', ['*']);
  }

  put(...objects: readonly AnyObject[]): Outcome {
    put(this.#graph, ...objects);
    return this.#build();
  }

  remove(object: AnyObject): Outcome {
    const { kind, key } = keyed(object);
    this.#graph.remove(kind, key);
    return this.#build();
  }

  #build(): Outcome {
    const { snapshot, changes, statuses } = this.#graph.build(someTime);
    throwMishap(this.#graph);
    this.#epoch += 1;
    for (const change of this.#translator.translate(snapshot, changes)) {
      if (change.gateway === this.#group.key) this.#group.apply(change, this.#epoch, snapshot.id);
    }
    const pushes = this.#deliver();
    const bytes = pushes.reduce((total, push) => total + push.bytes.length - push.nonce.length, 0);
    return { bytes, responses: pushes.length, statuses: statuses.length };
  }

  #marker() {
    const { id, generatedAt, counts } = this.#graph.snapshot()!;
    return { id, generatedAt, ...counts };
  }

  #deliver(): Push[] {
    const pushes: Push[] = [];
    for (let push = this.#session.next(0); push; push = this.#session.next(0)) {
      pushes.push(push);
      this.#ask(push.typeUrl, push.nonce, []);
    }
    return pushes;
  }

  #ask(typeUrl: string, nonce: string, subscribe: readonly string[]): void {
    this.#session.request({ typeUrl, nonce, subscribe, unsubscribe: [], initialVersions: new Map() }, 0);
  }
}

function rejected(what: unknown): never {
  throw new Error(`no proxy rejects anything here: ${JSON.stringify(what)}`);
}
