import type { ObjectByKind } from '../../../../gateway-api/index.ts';
import type { StoredObjects } from '../../../engine/index.ts';
import type { ConditionFault } from '../../../model/index.ts';
import type { ResolvedFilters } from '../../filter-module.ts';

export type HttpFilterObject = ObjectByKind['HTTPFilter'];
export type MemberName = keyof HttpFilterObject['spec'];
export type MemberSpec<M extends MemberName> = NonNullable<HttpFilterObject['spec'][M]>;

/** What a member comes to in each rule that names its filter, or why it is not available. */
export type ResolvedMember =
  | { readonly parts: Pick<ResolvedFilters, 'filters' | 'cookie' | 'ownRewrite' | 'ownRedirect' | 'answer'> }
  /** Something in it has a value that a proxy would reject. */
  | { readonly acceptFault: ConditionFault }
  /** It refers to what does not exist, or has nothing usable. */
  | { readonly referenceFault: ConditionFault };

/** The filter that has a member, and where the objects are found that it refers to. */
export interface MemberOwner {
  readonly namespace: string;
  readonly name: string;
  readonly store: StoredObjects;
}

/** One of the things that an HTTPFilter can say. */
export interface Member<M extends MemberName> {
  /** Rules of GRPCRoutes have no use for it. */
  readonly httpOnly?: true;
  readonly resolve: (spec: MemberSpec<M>, filter: MemberOwner) => ResolvedMember;
}

export const invalid = (message: string): ResolvedMember => ({ acceptFault: { reason: 'UnsupportedValue', message } });
