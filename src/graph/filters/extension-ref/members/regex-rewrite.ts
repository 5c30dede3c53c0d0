import { invalid, type Member } from './member.ts';
import { pathReplacementFault } from './path-replacement.ts';

/** Source: GEP-4360, and GEP-4359 for its expressions. */
export const regexRewrite: Member<'regexRewrite'> = {
  httpOnly: true,
  resolve(spec) {
    const fault = pathReplacementFault('regexRewrite', spec);
    if (fault !== undefined) return invalid(fault);
    return { parts: { ownRewrite: { path: { kind: 'regex', pattern: spec.pattern, value: spec.substitution } } } };
  },
};
