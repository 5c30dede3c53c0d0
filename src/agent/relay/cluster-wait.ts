import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { readFields, typeUrls } from '../../envoy/wire/index.ts';
import { encodeResource, resourceBody, type WireResource } from './delta-messages.ts';
import type { TypeRelay } from './type-relay.ts';

interface Deps {
  readonly clusters: () => TypeRelay | undefined;
  readonly endpoints: () => TypeRelay | undefined;
  /** Envoy has a stream and has not asked for listeners on it. */
  readonly isStarting: () => boolean;
}

/**
 * Whether Envoy waits for clusters. It takes one when each of its endpoints was checked once, which a BackendPolicy can put off for long
 * (`initialJitter`, `timeout`). Until then it answers nothing about clusters, so that a control plane sends no routes; after a start it asks for no
 * listeners either. Envoy does not wait for endpoints that are removed: this is how `release` ends it.
 */
export class ClusterWait {
  readonly #deps: Deps;
  #waiting = false;
  #released = false;
  #waits = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Envoy is sent clusters. True: it waited for none before. */
  sent(): boolean {
    if (this.#waiting) return false;
    this.#waiting = true;
    this.#waits += 1;
    return true;
  }

  /** To be called when Envoy has asked or answered something, or its stream has ended. */
  look(): void {
    if (this.#unanswered.length > 0 || this.#deps.isStarting()) return;
    this.#waiting = false;
    this.#released = false;
  }

  /** Envoy waits for clusters, and none of them was released. */
  get isHeldUp(): boolean {
    return this.#waiting && !this.#released;
  }

  /** How often it began to wait. */
  get waits(): number {
    return this.#waits;
  }

  /** Envoy has answered about its clusters: it waits for them before it opens its first listener. */
  get isStart(): boolean {
    return this.#unanswered.length === 0;
  }

  /** Names of the clusters that Envoy may wait for because it checks endpoints that it was sent. */
  get checked(): readonly string[] {
    const { clusters, endpoints } = this.#deps;
    const known = endpoints()?.held.resources;
    const waiting = this.isStart ? (clusters()?.held.resources.values() ?? []) : this.#unanswered;
    return [...waiting].filter((one) => known?.has(one.name) && isChecked(one)).map(({ name }) => name);
  }

  /**
   * Has Envoy take these clusters now: it loses their endpoints, and gets them once more at once. It may use them before they are checked. False:
   * not now, because Envoy has to answer about endpoints.
   */
  release(names: readonly string[]): boolean {
    const isDone = this.#deps.endpoints()?.resendBehind(names, withoutEndpoints) ?? false;
    if (isDone) this.#released = true;
    return isDone;
  }

  get #unanswered(): readonly WireResource[] {
    return this.#deps.clusters()?.pushes.sentResources ?? [];
  }
}

/** `Cluster.health_checks`. */
const healthChecks = 8;

function isChecked(cluster: WireResource): boolean {
  let found = false;
  readFields(resourceBody(cluster) ?? new Uint8Array(), (no) => {
    found ||= no === healthChecks;
    return false;
  });
  return found;
}

function withoutEndpoints({ name }: WireResource): WireResource {
  const assignment = new BinaryWriter().tag(1, WireType.LengthDelimited).string(name).finish();
  return encodeResource(typeUrls.endpoint, { name, version: '' }, assignment);
}
