import { type KindName, kinds, type ObjectByKind } from '../gateway-api/index.ts';
import type * as ir from '../ir/index.ts';
import type { Steps } from '../std/steps/index.ts';
import type { FoundCode, Store } from './engine/index.ts';
import type { DatabaseTrouble, DataPlaneState, Rejection } from './model/index.ts';
import type { Input } from './pending-inputs.ts';

/** What makes a graph what it is, beside its options. */
export interface GraphContent<G> {
  readonly store: Store;
  /** By fleet. */
  readonly dataPlanes: Iterable<readonly [fleet: string, state: DataPlaneState]>;
  readonly acknowledged: Iterable<readonly [fleet: string, digest: ir.Digest]>;
  readonly databaseTroubles: Iterable<readonly [fleet: string, troubles: readonly DatabaseTrouble[]]>;
  /** Graph.rejections */
  readonly rejections: Iterable<Rejection>;
  /** Graph.held */
  readonly held: Iterable<Rejection>;
  /** What happened after all that. */
  readonly waiting: readonly Input<G>[];
}

/** What a graph is filled by; see Graph. */
interface Fillable {
  upsert<K extends KindName>(kind: K, object: ObjectByKind[K]): unknown;
  setCode(source: string, code: FoundCode): void;
  setDataPlane(fleet: string, state: DataPlaneState): void;
  acknowledge(fleet: string, listenersDigest: ir.Digest): void;
  setDatabaseTroubles(fleet: string, troubles: readonly DatabaseTrouble[]): void;
  reject(rejection: Rejection): void;
  hold(rejection: Rejection): void;
  build(now: Date): unknown;
}

/** How many objects a copy takes in one step. */
const copyPortion = 50;

/** Gives an empty graph the content of another as it is at the first step, and builds it. The content may change between two steps. */
export function* fillCopy<G extends Fillable>(copy: G, content: GraphContent<G>, now: Date): Steps<void> {
  const [dataPlanes, acknowledged, databaseTroubles, rejections, held] = [
    [...content.dataPlanes],
    [...content.acknowledged],
    [...content.databaseTroubles],
    [...content.rejections],
    [...content.held],
  ];
  for (const [source, code] of content.store.codes()) copy.setCode(source, code);
  const names = Object.keys(kinds) as KindName[];
  const objects = names.flatMap((kind) => [...content.store.list(kind)].map((object) => ({ kind, object })));
  for (let from = 0; from < objects.length; from += copyPortion) {
    for (const { kind, object } of objects.slice(from, from + copyPortion)) copy.upsert(kind, object);
    copy.build(now);
    yield;
  }
  for (const [key, state] of dataPlanes) copy.setDataPlane(key, state);
  for (const [key, digest] of acknowledged) copy.acknowledge(key, digest);
  for (const [key, troubles] of databaseTroubles) copy.setDatabaseTroubles(key, troubles);
  // Last, for a rejection of what is not all there yet would be taken for one of what is gone.
  for (const rejection of rejections) copy.reject(rejection);
  for (const rejection of held) copy.hold(rejection);
  for (const input of content.waiting) input(copy);
  copy.build(now);
}
