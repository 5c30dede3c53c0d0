import type * as ir from '../../../../ir/index.ts';
import { framingHeader, nameFault } from './header-names.ts';
import { invalid, type Member, type MemberSpec, type ResolvedMember } from './member.ts';
import { replacementFault } from './replacement.ts';

type Spec = MemberSpec<'hostRewrite'>;

export const hostRewrite: Member<'hostRewrite'> = {
  resolve: (spec) =>
    spec.fromHeader !== undefined
      ? ofHeader(spec.fromHeader, spec)
      : spec.fromPathRegex
        ? ofPath(spec.fromPathRegex, spec)
        : { parts: {} },
};

/** What clients write into the header is taken away first: none of them chooses Host. */
function ofHeader(header: string, spec: Spec): ResolvedMember {
  const name = header.toLowerCase();
  const fault = nameFault(name) ?? framingHeader(name);
  if (fault !== undefined) return invalid(`hostRewrite.fromHeader: ${fault}`);
  return partsOf({ kind: 'header', name }, spec, [name]);
}

/** Envoy replaces what matches within the path, and the rest of it would be a part of Host. */
function ofPath(replacement: NonNullable<Spec['fromPathRegex']>, spec: Spec): ResolvedMember {
  const fault = replacementFault('hostRewrite.fromPathRegex', replacement);
  if (fault !== undefined) return invalid(fault);
  const pattern = `^(?:${replacement.pattern})$|^.*$`;
  return partsOf({ kind: 'path', pattern, value: replacement.substitution }, spec, []);
}

/** Envoy appends to X-Forwarded-Host: without what clients write there, backends read nothing else. */
function partsOf(
  hostFrom: NonNullable<ir.UrlRewrite['hostFrom']>,
  { forwardedHost }: Spec,
  headers: readonly string[],
): ResolvedMember {
  const withheld = [...new Set([...headers, ...(forwardedHost ? ['x-forwarded-host'] : [])])];
  return {
    parts: {
      ...(withheld.length > 0 && { filters: { headerEdits: { withheld } } }),
      ownRewrite: { hostFrom, ...(forwardedHost && { forwardsHost: true }) },
    },
  };
}
