import { isGuards, piecesOf, wholeOf } from '../../contracts/index.ts';
import { typeUrls } from '../../envoy/index.ts';
import type { SessionRequest } from './session-request.ts';

/**
 * Makes one name of all that one client asks for of a resource with pieces (EnvoyResource.pieces). Sessions know such a resource as a whole: the client asks for
 * it once it asks for all of its pieces, and has it if it has all. An ACK would otherwise say that the client has it, though Envoy drops what it has not asked for.
 */
export class Pieces {
  /** By name of the resource, what the client asks for of it: itself and its pieces. */
  readonly #asked = new Map<string, Set<string>>();

  /** How many names, and how much text they are. */
  get held(): { readonly names: number; readonly text: number } {
    let [names, text] = [0, 0];
    for (const asked of this.#asked.values()) {
      names += asked.size;
      for (const { length } of asked) text += length;
    }
    return { names, text };
  }

  /** Delta: the request as sessions understand it. Of names in both lists the second counts. */
  inDelta(request: SessionRequest): SessionRequest {
    if (request.typeUrl !== typeUrls.extension) return request;
    const { subscribe, unsubscribe, initialVersions } = request;
    return {
      ...request,
      subscribe: this.#subscribed(subscribe),
      unsubscribe: this.#unsubscribed(unsubscribe),
      initialVersions: wholeVersions(initialVersions),
    };
  }

  /** State of the world, where each request says all names. */
  inSotw(request: SessionRequest): SessionRequest {
    if (request.typeUrl !== typeUrls.extension) return request;
    const { subscribe, initialVersions } = request;
    const names = new Set(subscribe);
    return {
      ...request,
      subscribe: subscribe.filter((name) => wholeOf(name) === undefined && hasAll(names, name)),
      initialVersions: wholeVersions(initialVersions),
    };
  }

  #subscribed(names: readonly string[]): readonly string[] {
    const { others, wholes } = sorted(names);
    for (const [whole, parts] of wholes) this.#asked.set(whole, new Set([...(this.#asked.get(whole) ?? []), ...parts]));
    return [...others, ...[...wholes.keys()].filter((whole) => this.#isWhole(whole))];
  }

  #unsubscribed(names: readonly string[]): readonly string[] {
    const { others, wholes } = sorted(names);
    const gone = [...wholes.keys()].filter((whole) => this.#isWhole(whole));
    for (const [whole, parts] of wholes) {
      const asked = this.#asked.get(whole);
      for (const name of parts) asked?.delete(name);
      if (asked?.size === 0) this.#asked.delete(whole);
    }
    return [...others, ...gone];
  }

  #isWhole(name: string): boolean {
    return this.#asked.get(name)?.size === piecesOf(name).length + 1;
  }
}

interface Sorted {
  readonly others: readonly string[];
  /** Names of pieces, and of the resource itself, by the name of the resource. */
  readonly wholes: ReadonlyMap<string, readonly string[]>;
}

function sorted(names: readonly string[]): Sorted {
  const others: string[] = [];
  const wholes = new Map<string, string[]>();
  for (const name of names) {
    const whole = wholeOf(name) ?? (isGuards(name) ? name : undefined);
    if (whole === undefined) others.push(name);
    else wholes.set(whole, [...(wholes.get(whole) ?? []), name]);
  }
  return { others, wholes };
}

const hasAll = (names: Pick<ReadonlySet<string>, 'has'>, name: string): boolean =>
  piecesOf(name).every((piece) => names.has(piece));

/** What a client has of a resource without all of its pieces is nothing that it could use. */
function wholeVersions(versions: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const isOne = (name: string): boolean => wholeOf(name) === undefined && hasAll(versions, name);
  return versions.size === 0 ? versions : new Map([...versions].filter(([name]) => isOne(name)));
}
