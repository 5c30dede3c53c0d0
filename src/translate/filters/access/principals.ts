import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PrincipalSchema } from '../../../envoy/index.ts';

type Principal = MessageInitShape<typeof PrincipalSchema>;

export const everyone: Principal = { identifier: { case: 'any', value: true } };

export const not = (principal: Principal): Principal => ({ identifier: { case: 'notId', value: principal } });

/** Envoy rejects empty lists: what all of nothing demand, everyone has. */
export const allOf = (principals: readonly Principal[]): Principal =>
  principals.length === 0
    ? everyone
    : (one(principals) ?? { identifier: { case: 'andIds', value: { ids: [...principals] } } });

/** Any of nothing is no one. */
export const anyOf = (principals: readonly Principal[]): Principal =>
  principals.length === 0
    ? not(everyone)
    : (one(principals) ?? { identifier: { case: 'orIds', value: { ids: [...principals] } } });

const one = (principals: readonly Principal[]): Principal | undefined =>
  principals.length === 1 ? principals[0] : undefined;
