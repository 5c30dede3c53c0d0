import { RE2JS } from '@bufbuild/re2';
import { compileFault, largestRegexWeight, regexWeight } from '../../../model/index.ts';

export interface Replacement {
  readonly pattern: string;
  readonly substitution: string;
}

/** Why a proxy would reject an expression and what takes the place of its matches; undefined: it takes them. */
export function replacementFault(field: string, { pattern, substitution }: Replacement): string | undefined {
  // Before it is compiled: that is what takes the time.
  const weight = regexWeight(pattern);
  if (weight > largestRegexWeight)
    return `${field}.pattern is too large: it has about ${weight} steps, and may have ${largestRegexWeight}; repeat less in it`;
  const wrong = compileFault(pattern);
  if (wrong !== undefined) return `${field}.pattern ${JSON.stringify(pattern)} ${wrong}`;
  return substitutionFault(field, substitution, RE2JS.compile(pattern).groupCount());
}

/** Only a digit or a backslash follows a backslash. Source: RE2::CheckRewriteString. */
function substitutionFault(field: string, substitution: string, groups: number): string | undefined {
  for (const [escaped, next = ''] of substitution.matchAll(/\\([\s\S]?)/g)) {
    if (next === '\\' || (/^\d$/.test(next) && Number(next) <= groups)) continue;
    const has = groups === 0 ? 'no groups' : `${groups} group${groups === 1 ? '' : 's'}`;
    return `${field}.substitution has ${escaped}, and the pattern has ${has}: name one that is there, or write \\\\ for a backslash`;
  }
  return /[^!-~]|[?#]/.test(substitution)
    ? `${field}.substitution has a space, ?, # or what is not ASCII: a path has none of these`
    : undefined;
}
