import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { addressFormsOf, forbiddenRanges } from '../../egress/index.ts';
import {
  type PermissionSchema,
  packAny,
  RBAC_Action,
  RBACFilterSchema,
  UpstreamCodecSchema,
  UpstreamIpPortMatcherSchema,
} from '../../envoy/index.ts';
import { type HttpFilter, httpFilter } from '../resource/index.ts';

type Permission = MessageInitShape<typeof PermissionSchema>;

/**
 * Upstream HTTP filters of a backend that is found by DNS: a request whose endpoint has an address that names of users may not lead to is
 * answered 403 before a connection is made. The agent lets Envoy hear of no such address in the first place; this is for an Envoy that has no agent, and for
 * addresses that came some other way. `allowed`: ranges that may be reached all the same.
 */
export const egressFilters = (allowed: readonly string[]): HttpFilter[] => [
  httpFilter('envoy.filters.http.upstream_rbac', packAny(RBACFilterSchema, denyForbidden(allowed))),
];

/** What Envoy wants behind upstream filters. */
export const upstreamCodec = (): HttpFilter =>
  httpFilter('envoy.filters.http.upstream_codec', packAny(UpstreamCodecSchema, create(UpstreamCodecSchema)));

const denyForbidden = (allowed: readonly string[]) =>
  create(RBACFilterSchema, {
    rules: {
      action: RBAC_Action.DENY,
      policies: {
        'forbidden-address': {
          permissions: [allowed.length === 0 ? anyOf(forbidden) : except(anyOf(forbidden), anyOf(allowed))],
          principals: [{ identifier: { case: 'any', value: true } }],
        },
      },
    },
  });

const forbidden = forbiddenRanges.flatMap(({ range }) => addressFormsOf(range));

const anyOf = (ranges: readonly string[]): Permission => ({
  rule: { case: 'orRules', value: { rules: ranges.map(leadsTo) } },
});

const except = (permission: Permission, other: Permission): Permission => ({
  rule: { case: 'andRules', value: { rules: [permission, { rule: { case: 'notRule', value: other } }] } },
});

function leadsTo(range: string): Permission {
  const [addressPrefix = '', length] = range.split('/');
  const prefixLen = Number(length ?? (addressPrefix.includes(':') ? 128 : 32));
  const matcher = create(UpstreamIpPortMatcherSchema, { upstreamIp: { addressPrefix, prefixLen } });
  return {
    rule: {
      case: 'matcher',
      value: {
        name: 'envoy.rbac.matchers.upstream_ip_port',
        typedConfig: packAny(UpstreamIpPortMatcherSchema, matcher),
      },
    },
  };
}
