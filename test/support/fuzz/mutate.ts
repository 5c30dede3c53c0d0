import type { AnyObject } from '../world.ts';
import type { Scene } from './corpus.ts';
import type { Dice } from './dice.ts';
import { hostileNumbers, hostileTexts } from './hostile-values.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Path = readonly (string | number)[];

/** Names that objects of a run share, so that they meet. */
const names = ['edge', 'web', 'shop', 'api', 'a', 'tls', 'admin', 'x'] as const;
const namespaces = ['default', 'default', 'default', 'team'] as const;
/** Fields by which one object names another, or a part of it. */
const naming: Readonly<Record<string, readonly (string | number)[]>> = {
  name: names,
  namespace: namespaces,
  sectionName: ['http', 'https', 'tls', 'a', 'x'],
  kind: [
    'Gateway',
    'HTTPRoute',
    'Service',
    'Secret',
    'ConfigMap',
    'AIService',
    'XBackend',
    'HTTPFilter',
    'ListenerSet',
    'Nothing',
  ],
  group: ['', 'gateway.networking.k8s.io', 'gatewright.dev', 'gateway.networking.x-k8s.io', 'example.com'],
  port: [80, 443, 8080, 65_535],
};

/** What a corpus has at each place of each kind: `spec.rules.*.matches` of an HTTPRoute. */
export class Mutator {
  readonly #graftsOf = new Map<string, Map<string, Graft>>();

  constructor(scenes: readonly Scene[]) {
    for (const { objects } of scenes) for (const object of objects) this.#learn(object);
  }

  #learn(object: AnyObject): void {
    const { kind } = object;
    const grafts = this.#graftsOf.get(kind) ?? new Map<string, Graft>();
    this.#graftsOf.set(kind, grafts);
    for (const { path, value } of placesOf(object as never)) {
      const [top] = path;
      if (top === 'metadata' || top === 'kind' || top === 'apiVersion') continue;
      const pattern = path.map((part) => (typeof part === 'number' ? '*' : part)).join('.');
      const graft = grafts.get(pattern) ?? {
        path: path.map((part) => (typeof part === 'number' ? 0 : part)),
        values: [],
      };
      grafts.set(pattern, graft);
      graft.values.push(value);
    }
  }

  /** An object that was made from this one by some changes; the one given stays as it is. */
  mutate(object: AnyObject, dice: Dice): AnyObject {
    const copy = structuredClone(object) as unknown as { [key: string]: Json };
    const rounds = 1 + dice.below(4);
    for (let round = 0; round < rounds; round += 1) this.#change(copy, object.kind, dice);
    rename(copy, dice);
    return copy as unknown as AnyObject;
  }

  #change(object: { [key: string]: Json }, kind: string, dice: Dice): void {
    const roll = dice.next();
    const places = placesOf(object).filter(
      ({ path }) => path[0] !== 'metadata' && path[0] !== 'kind' && path[0] !== 'apiVersion',
    );
    if (roll < 0.45 || places.length === 0) {
      const grafts = [...(this.#graftsOf.get(kind)?.values() ?? [])];
      if (grafts.length > 0) graft(object, dice.pick(grafts), dice);
      return;
    }
    const { path, value } = dice.pick(places);
    if (roll < 0.6) retarget(object, places, dice);
    else if (roll < 0.82) {
      const leaves = places.filter((place) => typeof place.value !== 'object' || place.value === null);
      if (leaves.length > 0) {
        const leaf = dice.pick(leaves);
        set(object, leaf.path, hostile(leaf.value, dice));
      }
    } else if (roll < 0.9) remove(object, path);
    else if (roll < 0.97) repeat(object, places, dice);
    else set(object, path, otherType(value, dice));
  }
}

interface Graft {
  readonly path: Path;
  readonly values: Json[];
}

interface PlaceOf {
  readonly path: Path;
  readonly value: Json;
}

function placesOf(value: Json, path: Path = []): PlaceOf[] {
  const own = path.length === 0 ? [] : [{ path, value }];
  if (Array.isArray(value)) return [...own, ...value.flatMap((item, index) => placesOf(item, [...path, index]))];
  if (typeof value !== 'object' || value === null) return own;
  return [...own, ...Object.entries(value).flatMap(([key, item]) => placesOf(item, [...path, key]))];
}

/** Puts what another object has at this place into the object, with lists and maps on the way there. */
function graft(object: { [key: string]: Json }, { path, values }: Graft, dice: Dice): void {
  let node: Json = object;
  for (const [at, part] of path.entries()) {
    const isLast = at === path.length - 1;
    const key: string | number = typeof part === 'number' && Array.isArray(node) ? dice.below(node.length + 1) : part;
    const holder = node as { [key: string | number]: Json };
    if (isLast) holder[key] = structuredClone(dice.pick(values));
    else {
      const next = holder[key];
      if (typeof next !== 'object' || next === null) holder[key] = typeof path[at + 1] === 'number' ? [] : {};
      node = holder[key] as Json;
      if (Array.isArray(node) !== (typeof path[at + 1] === 'number')) return;
    }
  }
}

function retarget(object: { [key: string]: Json }, places: readonly PlaceOf[], dice: Dice): void {
  const found = places.filter(
    ({ path }) => String(path.at(-1)) in naming && Object.hasOwn(naming, String(path.at(-1))),
  );
  if (found.length === 0) return;
  const { path } = dice.pick(found);
  set(object, path, dice.pick(naming[String(path.at(-1))] ?? names));
}

function repeat(object: { [key: string]: Json }, places: readonly PlaceOf[], dice: Dice): void {
  const lists = places.filter(({ value }) => Array.isArray(value) && value.length > 0);
  if (lists.length === 0) return;
  const { value } = dice.pick(lists);
  const list = value as Json[];
  const times = dice.chance(0.1) ? 20 : 1;
  for (let count = 0; count < times; count += 1) list.push(structuredClone(dice.pick(list)));
  void object;
}

function set(object: Json, path: Path, value: Json): void {
  const parent = path
    .slice(0, -1)
    .reduce<Json>((node, part) => (node as { [key: string | number]: Json })[part] as Json, object);
  const last = path.at(-1) as string | number;
  (parent as { [key: string | number]: Json })[last] = value;
}

function remove(object: Json, path: Path): void {
  const parent = path
    .slice(0, -1)
    .reduce<Json>((node, part) => (node as { [key: string | number]: Json })[part] as Json, object);
  const last = path.at(-1) as string | number;
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete (parent as { [key: string]: Json })[last];
}

function hostile(value: Json, dice: Dice): Json {
  if (typeof value === 'number') return dice.pick(hostileNumbers);
  if (typeof value === 'boolean') return !value;
  const text = dice.pick(hostileTexts);
  if (typeof value !== 'string' || dice.chance(0.7)) return text;
  const at = dice.below(value.length + 1);
  return value.slice(0, at) + text + value.slice(at);
}

const otherType = (value: Json, dice: Dice): Json =>
  dice.pick<Json>([null, 0, true, '', [], {}, [value], { value }, String(value)]);

function rename(object: { [key: string]: Json }, dice: Dice): void {
  const metadata = (object.metadata ?? {}) as { [key: string]: Json };
  object.metadata = metadata;
  if (dice.chance(0.35)) metadata.name = dice.pick(names);
  if (dice.chance(0.15) && metadata.namespace !== undefined) metadata.namespace = dice.pick(namespaces);
  if (dice.chance(0.05))
    metadata.labels = { [dice.pick(['app', 'gateway.networking.k8s.io/x', 'constructor'])]: dice.pick(hostileTexts) };
  if (dice.chance(0.03)) metadata.name = dice.pick(hostileTexts);
}
