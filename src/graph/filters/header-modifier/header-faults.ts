import { isOwnHeader, ownHeaderPrefix } from '../../../ir/index.ts';
import { type FilterSpec, headerNameFault, textFault } from '../../model/index.ts';

export type HeaderSpec = NonNullable<FilterSpec['requestHeaderModifier']>;

/** What a proxy would reject in changes of headers, in the order of the changes. */
export const headerFaults = (spec: HeaderSpec): readonly (string | undefined)[] => [
  ...changedNames(spec).map((name) => headerNameFault(name) ?? ownHeaderFault(name)),
  ...[...(spec.set ?? []), ...(spec.add ?? [])].map(({ name, value }) =>
    textFault(`the value of header ${name}`, value),
  ),
];

/** Names of the headers that are changed. */
export const changedNames = ({ set = [], add = [], remove = [] }: HeaderSpec): readonly string[] => [
  ...[...set, ...add].map(({ name }) => name),
  ...remove,
];

/** Proxies take these away at their edge, so the change would be lost. */
const ownHeaderFault = (name: string): string | undefined =>
  isOwnHeader(name)
    ? `header ${name}: names that begin with ${ownHeaderPrefix} are for use within the proxy; choose another name`
    : undefined;
