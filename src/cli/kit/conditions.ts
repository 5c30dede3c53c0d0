import { type AnyStatus, type Condition, type ParentReference, statusParts } from '../../gateway-api/index.ts';

/** A condition as far as people read it. */
export type SaidCondition = Omit<Condition, 'observedGeneration'>;

/** The conditions of one part of a status: of the object itself, a listener, a parent or an ancestor. */
export interface Scope {
  /** Empty for the object itself. */
  readonly scope: string;
  readonly conditions: readonly SaidCondition[];
}

/** A status by what its conditions are of. */
export const scopesOf = (status: AnyStatus<SaidCondition>): readonly Scope[] =>
  statusParts(status).map(({ name, ref, conditions }) => ({ scope: ref ? referenceText(ref) : name, conditions }));

/** `NAMESPACE/NAME/SECTION`, as far as it is said, behind its kind where that is no Gateway. */
const referenceText = ({ kind = 'Gateway', namespace, name, sectionName, port }: ParentReference): string => {
  const where = [namespace, name, sectionName, port].filter((part) => part !== undefined).join('/');
  return kind === 'Gateway' ? where : `${kind} ${where}`;
};
