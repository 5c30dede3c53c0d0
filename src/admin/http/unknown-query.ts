import type { Context } from 'koa';
import { didYouMean } from '../../std/index.ts';

/** The parameter by which a read asks that unknown parameters be rejected. */
export const strictParameter = 'strict';

/** Whether the client prefers to have everything rejected that is not understood. Source: RFC 7240, section 4.4. */
export const isStrict = (ctx: Context): boolean => {
  const isPreferred = /(^|[,;])\s*handling\s*=\s*"?strict"?\s*($|[,;])/i.test(ctx.get('Prefer'));
  if (isPreferred) ctx.set('Preference-Applied', 'handling=strict');
  return isPreferred;
};

/** What to use instead. */
export function unknownAdvice(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'none is known here';
  return `known here are ${known.join(', ')}${didYouMean(name, known)}`;
}

/** How many names are listed, and how much of each: clients choose them. */
const mostNamed = 5;
const longestName = 60;

/** Says in a header which parameters were ignored, as the API server of Kubernetes warns: code 299, for people. */
export function noteIgnored(ctx: Context, names: readonly string[], known: readonly string[]): void {
  const warnings = names.slice(0, mostNamed).map((name) => {
    const nearest = didYouMean(name, known);
    return warning(`unknown query parameter "${name.slice(0, longestName)}" is ignored${nearest}`);
  });
  if (names.length > mostNamed) warnings.push(warning(`${names.length - mostNamed} more are ignored`));
  ctx.set('Warning', warnings.join(', '));
}

/** A quoted string of printable ASCII. Source: RFC 7234, section 5.5. */
const warning = (text: string): string =>
  `299 gatewright "${text.replaceAll(/[^ -~]/g, '?').replaceAll(/["\\]/g, (letter) => `\\${letter}`)}"`;
