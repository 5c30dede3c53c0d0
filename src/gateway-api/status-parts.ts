import type { Condition, ParentReference } from './conditions.ts';

/** The conditions of one part of a status. */
export interface StatusPart<C = Condition> {
  /** What they are of: the object itself, one of its listeners, or what it is at a parent or for an ancestor. */
  readonly of: 'object' | 'listener' | 'parent' | 'ancestor';
  /** Of the listener, parent or ancestor; empty for the object itself. */
  readonly name: string;
  /** Of a parent or an ancestor. */
  readonly ref?: ParentReference;
  readonly conditions: readonly C[];
}

/** A status of any form, our own or one that was read. */
export interface AnyStatus<C = Condition> {
  readonly conditions?: readonly C[];
  readonly listeners?: readonly { readonly name: string; readonly conditions?: readonly C[] }[];
  readonly parents?: readonly { readonly parentRef: ParentReference; readonly conditions?: readonly C[] }[];
  readonly ancestors?: readonly { readonly ancestorRef: ParentReference; readonly conditions?: readonly C[] }[];
}

/** All conditions of a status, whatever its form. The object's own come first. */
export function statusParts<C = Condition>(status: AnyStatus<C>): readonly StatusPart<C>[] {
  const { conditions: own, listeners = [], parents = [], ancestors = [] } = status;
  return [
    ...(own ? [{ of: 'object', name: '', conditions: own } as const] : []),
    ...listeners.map(({ name, conditions = [] }) => ({ of: 'listener', name, conditions }) as const),
    ...parents.map(({ parentRef: ref, conditions = [] }) => part('parent', ref, conditions)),
    ...ancestors.map(({ ancestorRef: ref, conditions = [] }) => part('ancestor', ref, conditions)),
  ];
}

const part = <C>(of: StatusPart['of'], ref: ParentReference, conditions: readonly C[]): StatusPart<C> => ({
  of,
  name: ref.name,
  ref,
  conditions,
});
