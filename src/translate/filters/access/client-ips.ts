import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { type PolicySchema, type PrincipalSchema, packAny, RBACFilterSchema } from '../../../envoy/index.ts';
import type * as ir from '../../../ir/index.ts';
import type { Expr } from './cel.ts';
import { allOf, anyOf, everyone, not } from './principals.ts';

/** Envoy allows what some policy takes; without a policy it allows nothing. */
export const clientIPs = ({ allow, deny }: ir.ClientIPs): Any => {
  const allowed = allow === undefined ? everyone : anyOf(allow.map(fromNetwork));
  const principal = deny.length === 0 ? allowed : allOf([allowed, not(anyOf(deny.map(fromNetwork)))]);
  const policies: Record<string, Policy> = allow?.length === 0 ? {} : { 'client-ips': policyOf(principal) };
  return packAny(RBACFilterSchema, create(RBACFilterSchema, { rules: { policies } }));
};

export type Policy = MessageInitShape<typeof PolicySchema>;
type Principal = MessageInitShape<typeof PrincipalSchema>;

/** A policy by what clients show; with a condition, that must hold too. */
export const policyOf = (principal: Principal, condition?: Expr): Policy => ({
  permissions: [{ rule: { case: 'any' as const, value: true } }],
  principals: [principal],
  ...(condition && { condition }),
});

/** By the address that the listener's trusted hops give, not by that of the connection. */
export const fromNetwork = ({ address, prefixLength }: ir.Cidr): Principal => ({
  identifier: { case: 'remoteIp', value: { addressPrefix: address, prefixLen: prefixLength } },
});
