import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  type AccessLogFilterSchema,
  type AccessLogSchema,
  HealthCheckFilterSchema,
  packAny,
} from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { type HttpFilter, httpFilter } from '../resource/index.ts';

type AccessLog = Extract<MessageInitShape<typeof AccessLogSchema>, { readonly $typeName?: undefined }>;
type Filter = MessageInitShape<typeof AccessLogFilterSchema>;

/** Answers checks of a load balancer: 200, and 503 from the moment on at which the agent has Envoy fail them, so that clients go elsewhere before it ends. */
export function healthAnswer({ healthPath }: ir.ClientSettings): readonly HttpFilter[] {
  if (healthPath === undefined) return [];
  const path = { matchPattern: { case: 'exact' as const, value: healthPath } };
  const filter = create(HealthCheckFilterSchema, {
    passThroughMode: false,
    headers: [{ name: ':path', headerMatchSpecifier: { case: 'stringMatch', value: path } }],
  });
  return [httpFilter('gatewright.health', packAny(HealthCheckFilterSchema, filter))];
}

/** Load balancers check many times a second, which would fill logs and counts. */
export const withoutHealthChecks = (
  logs: readonly MessageInitShape<typeof AccessLogSchema>[],
  { healthPath }: ir.ClientSettings,
): MessageInitShape<typeof AccessLogSchema>[] =>
  healthPath === undefined
    ? [...logs]
    : (logs as readonly AccessLog[]).map((log) => ({ ...log, filter: both(log.filter as Filter | undefined) }));

const noCheck: Filter = { filterSpecifier: { case: 'notHealthCheckFilter', value: {} } };

const both = (filter: Filter | undefined): Filter =>
  filter ? { filterSpecifier: { case: 'andFilter', value: { filters: [noCheck, filter] } } } : noCheck;
