import { jsonCrdDir, ownCrdDir } from '../../../scripts/paths.mjs';
import { kindModules } from '../../../src/controllers/index.ts';
import { type KindName, kinds } from '../../../src/gateway-api/index.ts';
import { Graph } from '../../../src/graph/index.ts';
import { allChanges, type Snapshot } from '../../../src/ir/index.ts';
import type { ObjectValidator } from '../../../src/sources/index.ts';
import { throwMishap } from '../mishaps.ts';
import { controllerName, gatewayClass } from '../objects.ts';
import { validatorOf } from '../validator.ts';
import { type AnyObject, describeWorld, keyed, newGraph, ProxyResources, put, someTime } from '../world.ts';
import { readCorpus, type Scene } from './corpus.ts';
import { Dice } from './dice.ts';
import { Mutator } from './mutate.ts';

/** Objects that an API server would take, and how many it would not. */
export interface Made {
  readonly seed: number;
  readonly valid: readonly AnyObject[];
  readonly rejected: number;
}

/** Makes hostile objects by the thousand: what goldens and examples have, changed by dice. */
export class ObjectMaker {
  readonly #scenes: readonly Scene[];
  readonly #mutator: Mutator;
  readonly #validator: ObjectValidator;

  private constructor(scenes: readonly Scene[], validator: ObjectValidator) {
    this.#scenes = scenes;
    this.#mutator = new Mutator(scenes);
    this.#validator = validator;
  }

  static async load(): Promise<ObjectMaker> {
    return new ObjectMaker(readCorpus(), await validatorOf([jsonCrdDir(), ownCrdDir]));
  }

  /** As they are written, good and bad, of one or more scenes that meet. */
  written(dice: Dice): AnyObject[] {
    const scenes = Array.from({ length: 1 + dice.below(3) }, () => dice.pick(this.#scenes));
    const objects = scenes.flatMap((scene) => scene.objects);
    const changed = objects.flatMap((object) => {
      const copies = dice.chance(0.6) ? [this.#mutator.mutate(object, dice)] : [];
      return dice.chance(0.7) ? [object, ...copies] : copies;
    });
    return dice.shuffled([gatewayClass(), ...changed]);
  }

  /** The same, as an API server would store them. */
  make(seed: number): Made {
    const dice = new Dice(seed);
    const written = this.written(dice);
    const valid = written.flatMap((object, index) => {
      const verdict = this.#validator.validate(object);
      return verdict.result === 'valid' ? [stored(verdict.object as AnyObject, object, index)] : [];
    });
    return { seed, valid, rejected: written.length - valid.length };
  }
}

/** What the API server adds. */
function stored(object: AnyObject, written: AnyObject, index: number): AnyObject {
  const { namespaced } = kinds[object.kind as KindName];
  const metadata = {
    generation: 1,
    creationTimestamp: new Date(Date.UTC(2026, 0, 1) + (index >> 1) * 1000).toISOString().replace('.000', ''),
    ...object.metadata,
    ...(namespaced && { namespace: object.metadata.namespace ?? 'default' }),
  };
  const { data } = written as { data?: unknown };
  return { ...object, metadata, ...(data !== undefined && { data }) } as AnyObject;
}

/** What a world came to: the snapshot of all that is left. */
export interface Built {
  readonly graph: Graph;
  readonly snapshot: Snapshot;
}

/** Creates, changes and deletes the objects in some order, with builds between; throws unless the end is, byte for byte, what a cold start builds. */
export function buildEitherWay({ seed, valid }: Made): Built {
  const dice = new Dice(seed ^ 0x5eed);
  const graph = newGraph();
  const proxies = new ProxyResources();
  const statuses = new Map<string, unknown>();
  const left = new Map<string, AnyObject>();
  const build = () => {
    const { snapshot, changes, statuses: changed } = graph.build(someTime);
    proxies.apply(snapshot, changes);
    for (const { kind, key, status } of changed) statuses.set(`${kind} ${key}`, status);
    throwMishap(graph);
  };
  for (const object of valid) {
    const { kind, key } = keyed(object);
    if (forgetsProxies(object, left)) continue;
    put(graph, object);
    left.set(`${kind} ${key}`, object);
    if (dice.chance(0.1)) remove(graph, left, dice);
    if (dice.chance(0.15)) build();
  }
  build();
  const cold = newGraph();
  put(cold, ...dice.shuffled([...left.values()]));
  const { snapshot, statuses: coldOnes } = cold.build(someTime);
  throwMishap(cold);
  const coldProxies = new ProxyResources();
  coldProxies.apply(snapshot, allChanges(snapshot));
  const coldStatuses = new Map(coldOnes.map(({ kind, key, status }) => [`${kind} ${key}`, status]));
  same(describeWorld(graph, statuses), describeWorld(cold, coldStatuses), 'incremental and cold builds');
  same(proxies.describe(), coldProxies.describe(), "the proxies' resources after incremental and cold builds");
  return { graph: cold, snapshot };
}

/** A class that begins to name a DataPlane which is not there: whether its proxies are shared is remembered, too. */
function forgetsProxies(object: AnyObject, left: ReadonlyMap<string, AnyObject>): boolean {
  if (object.kind !== 'GatewayClass' || !left.has(`GatewayClass ${keyed(object).key}`)) return false;
  const { parametersRef } = (object.spec ?? {}) as { parametersRef?: { name: string; namespace?: string } };
  return parametersRef !== undefined && !left.has(`DataPlane ${parametersRef.namespace}/${parametersRef.name}`);
}

function remove(graph: Graph, left: Map<string, AnyObject>, dice: Dice): void {
  const object = dice.pick([...left.values()]);
  const { kind, key } = keyed(object);
  // Whether proxies are shared is remembered while what says it is away.
  if (kind === 'GatewayClass' || kind === 'DataPlane') return;
  graph.remove(kind, key);
  left.delete(`${kind} ${key}`);
}

function same(one: string, other: string, what: string): void {
  if (one === other) return;
  const others = other.split('\n');
  const lines = one.split('\n');
  const at = lines.findIndex((line, index) => line !== others[index]);
  throw new Error(`${what} differ:\none:   ${lines[at]}\nother: ${others[at]}`);
}

/** What proxies get for these objects, with listeners on ports that are free. */
export function snapshotForEnvoy(objects: readonly AnyObject[]): Snapshot {
  const graph = new Graph({ controllerName, kinds: kindModules, bind: () => ({ address: '127.0.0.1', port: 0 }) });
  put(graph, ...objects);
  return graph.build(someTime).snapshot;
}
