import type { Condition } from '../../gateway-api/index.ts';
import type { ListenerOwner } from './listener-owner.ts';

/** What the status of an object says of the policies that act on it: a condition that is True, or not there. */
export interface TargetNote {
  readonly type: string;
  readonly message: string;
}

/** By object: of a Gateway and its ListenerSets, and of their listeners. */
export type TargetNotes = ReadonlyMap<string, readonly TargetNote[]>;

/** What the notes of an object, or of one of its listeners, are under. */
export const noteKey = ({ kind, namespace, name }: ListenerOwner, listener?: string): string =>
  JSON.stringify([kind, namespace, name, listener ?? null]);

/** The condition that says so, in a list. Source: GEP-713, status of the objects that policies target. */
export const noteConditions = (notes: readonly TargetNote[] | undefined, observedGeneration: number): Condition[] =>
  (notes ?? []).map((note) => ({ ...note, status: 'True', reason: 'PolicyAffected', observedGeneration }));
