import { isOwnHeader, ownHeaderPrefix } from '../../ir/index.ts';
import type { Fault } from '../model/condition.ts';
import { headerNameFault, hostnameFault, textFault } from '../model/text-fault.ts';
import type { FilterSpec } from './filter.ts';

/** What in a filter a proxy would refuse, and with it everything of the same host. */
export function filterFault(filter: FilterSpec): Fault | undefined {
  const { requestHeaderModifier, responseHeaderModifier, urlRewrite, requestRedirect, cors } = filter;
  const faults = [
    ...headerFaults(requestHeaderModifier),
    ...headerFaults(responseHeaderModifier),
    ...(namesOf(responseHeaderModifier).some((name) => name.toLowerCase() === 'host')
      ? ['Host is a header of requests: it cannot be changed in responses']
      : []),
    ...[urlRewrite, requestRedirect].flatMap(targetFaults),
    ...[cors?.allowOrigins, cors?.allowMethods, cors?.allowHeaders, cors?.exposeHeaders].flatMap((list) =>
      (list ?? []).map((text) => textFault('a value of the CORS filter', text)),
    ),
  ];
  const message = faults.find((fault) => fault !== undefined);
  return message === undefined ? undefined : { reason: 'UnsupportedValue', message };
}

type HeaderFilter = FilterSpec['requestHeaderModifier'];

const namesOf = (filter: HeaderFilter): string[] => [
  ...[...(filter?.set ?? []), ...(filter?.add ?? [])].map(({ name }) => name),
  ...(filter?.remove ?? []),
];

const headerFaults = (filter: HeaderFilter): (string | undefined)[] => [
  ...namesOf(filter).map((name) => headerNameFault(name) ?? ownHeaderFault(name)),
  ...[...(filter?.set ?? []), ...(filter?.add ?? [])].map(({ name, value }) =>
    textFault(`the value of header ${name}`, value),
  ),
];

/** Proxies take these away at their edge, so the change would be lost. */
const ownHeaderFault = (name: string): string | undefined =>
  isOwnHeader(name)
    ? `header ${name}: names that begin with ${ownHeaderPrefix} are for use within the proxy; choose another name`
    : undefined;

interface Target {
  readonly hostname?: string;
  readonly path?: { readonly replaceFullPath?: string; readonly replacePrefixMatch?: string };
}

const targetFaults = (target: Target | undefined): (string | undefined)[] => [
  target?.hostname === undefined ? undefined : hostnameFault(target.hostname),
  textFault('the path that takes the place of the request’s', target?.path?.replaceFullPath),
  textFault('the path that takes the place of the request’s', target?.path?.replacePrefixMatch),
];
