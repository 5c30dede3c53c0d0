import type { Condition, ParentReference, Status } from '../../gateway-api/index.ts';

/** Conditions that are good when they are not True. */
export const negative: ReadonlySet<string> = new Set([
  'Conflicted',
  'OverlappingTLSConfig',
  'PartiallyInvalid',
  'InsecureFrontendValidationMode',
]);

/** The conditions of one part of a status: of the object itself, a listener, a parent or an ancestor. */
export interface Scope {
  /** Empty for the object itself. */
  readonly scope: string;
  readonly conditions: readonly Condition[];
}

/** A status by whatever its conditions are of. */
export function scopesOf(status: Status): readonly Scope[] {
  if ('parents' in status)
    return status.parents.map(({ parentRef, conditions }) => ({ scope: referenceText(parentRef), conditions }));
  if ('ancestors' in status)
    return status.ancestors.map(({ ancestorRef, conditions }) => ({ scope: referenceText(ancestorRef), conditions }));
  const own = { scope: '', conditions: status.conditions };
  if (!('listeners' in status)) return [own];
  return [own, ...status.listeners.map(({ name, conditions }) => ({ scope: name, conditions }))];
}

/** `NAMESPACE/NAME/SECTION`, as far as it is said, behind its kind where that is no Gateway. */
const referenceText = ({ kind = 'Gateway', namespace, name, sectionName, port }: ParentReference): string => {
  const where = [namespace, name, sectionName, port].filter((part) => part !== undefined).join('/');
  return kind === 'Gateway' ? where : `${kind} ${where}`;
};
