import { hostnameFault } from '../../../model/index.ts';
import { invalid, type Member } from './member.ts';
import { pathReplacementFault } from './path-replacement.ts';

export const regexRedirect: Member<'regexRedirect'> = {
  httpOnly: true,
  resolve({ pattern, substitution, stripQuery, ...redirect }) {
    const fault =
      pathReplacementFault('regexRedirect', { pattern, substitution }) ??
      (redirect.hostname === undefined ? undefined : hostnameFault(redirect.hostname));
    if (fault !== undefined) return invalid(fault);
    const path = { kind: 'regex', pattern, value: substitution } as const;
    return { parts: { ownRedirect: { redirect, path, ...(stripQuery && { stripQuery }) } } };
  },
};
