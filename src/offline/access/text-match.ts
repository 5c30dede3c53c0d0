import { RE2JS } from '@bufbuild/re2';
import type * as ir from '../../ir/index.ts';

/** The graph lets no expression through that does not compile. */
export const matchesText = ({ kind, value }: ir.ValueMatch, text: string): boolean =>
  kind === 'exact' ? text === value : RE2JS.compile(value).matches(text);

/** A prefix is by whole segments. */
export function matchesPath({ kind, value }: ir.PathMatch, path: string): boolean {
  if (kind !== 'prefix') return matchesText({ kind, value }, path);
  return value === '/' || path === value || path.startsWith(`${value}/`);
}
