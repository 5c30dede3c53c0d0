import * as z from 'zod';
import type * as ir from '../../../ir/index.ts';
import type { ConditionFault } from '../../model/index.ts';
import type { FilterModule } from '../filter-module.ts';
import { firstFault } from '../first-fault.ts';
import { changedNames, type HeaderSpec, headerFaults } from './header-faults.ts';

const header = z.strictObject({ name: z.string(), value: z.string() });
const schema = z.strictObject({ set: z.array(header), add: z.array(header), remove: z.array(z.string()) });

/** Source: HTTPHeaderFilter. */
export const requestHeaderModifier: FilterModule = {
  key: 'requestHeaders',
  valueFault: ({ requestHeaderModifier: spec = {} }) => firstFault(headerFaults(spec)),
  resolve: ({ requestHeaderModifier: spec = {} }) => requestHeaders(spec),
  effect: { schema, show: (filters) => filters.requestHeaders },
};

export const responseHeaderModifier: FilterModule = {
  key: 'responseHeaders',
  valueFault: ({ responseHeaderModifier: spec = {} }) =>
    firstFault([
      ...headerFaults(spec),
      changedNames(spec).some(isHost) ? 'Host is a header of requests: it cannot be changed in responses' : undefined,
    ]),
  resolve: ({ responseHeaderModifier: spec = {} }) => ({ filters: { responseHeaders: headerChanges(spec) } }),
  effect: { schema, show: (filters) => filters.responseHeaders },
};

/** Envoy has no header mutation for Host: setting it is a host rewrite, and it can be changed in no other way. */
function requestHeaders(spec: HeaderSpec): ReturnType<FilterModule['resolve']> {
  const host = spec.set?.find(({ name }) => isHost(name));
  const others = { ...spec, set: spec.set?.filter((change) => change !== host) };
  const fault = changedNames(others).some(isHost) ? hostFault : undefined;
  return {
    filters: { requestHeaders: headerChanges(others) },
    ...(host && { rewrite: { hostname: host.value } }),
    ...(fault && { fault }),
  };
}

const isHost = (name: string): boolean => name.toLowerCase() === 'host';

const hostFault: ConditionFault = {
  reason: 'UnsupportedValue',
  message: 'the Host header can be set, but neither added to nor removed: use set, or URLRewrite.hostname',
};

const headerChanges = ({ set = [], add = [], remove = [] }: HeaderSpec): ir.HeaderChanges => ({
  set: set.map(({ name, value }) => ({ name: name.toLowerCase(), value })),
  add: add.map(({ name, value }) => ({ name: name.toLowerCase(), value })),
  remove: remove.map((name) => name.toLowerCase()),
});
