import { framingHeader, nameFault } from './header-names.ts';
import { invalid, type Member, type MemberSpec, type ResolvedMember } from './member.ts';
import { replacementFault } from './replacement.ts';

export const hostRewrite: Member<'hostRewrite'> = {
  resolve: ({ fromHeader, fromPathRegex }) =>
    fromHeader !== undefined ? ofHeader(fromHeader) : fromPathRegex ? ofPath(fromPathRegex) : { parts: {} },
};

/** What clients write into the header is taken away first: none of them chooses Host. */
function ofHeader(header: string): ResolvedMember {
  const name = header.toLowerCase();
  const fault = nameFault(name) ?? framingHeader(name);
  if (fault !== undefined) return invalid(`hostRewrite.fromHeader: ${fault}`);
  return {
    parts: { filters: { headerEdits: { withheld: [name] } }, ownRewrite: { hostFrom: { kind: 'header', name } } },
  };
}

/** Envoy replaces what matches within the path, and the rest of it would be a part of Host. */
function ofPath(spec: NonNullable<MemberSpec<'hostRewrite'>['fromPathRegex']>): ResolvedMember {
  const fault = replacementFault('hostRewrite.fromPathRegex', spec);
  if (fault !== undefined) return invalid(fault);
  const pattern = `^(?:${spec.pattern})$|^.*$`;
  return { parts: { ownRewrite: { hostFrom: { kind: 'path', pattern, value: spec.substitution } } } };
}
