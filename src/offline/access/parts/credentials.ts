import type * as ir from '../../../ir/index.ts';
import type { Presented } from '../presented.ts';

/** A place for credentials, in words. */
export const sourceText = ({ kind, name }: ir.CredentialSource): string =>
  ({ header: `header ${name}`, cookie: `cookie ${name}`, query: `query parameter ${name}` })[kind];

export const sourcesText = (sources: readonly ir.CredentialSource[]): string => sources.map(sourceText).join(' or ');

/** What is in one of the places; the first value of it. */
export function valueAt({ kind, name }: ir.CredentialSource, request: Presented): string | undefined {
  if (kind === 'header') return request.header(name)[0];
  return kind === 'cookie' ? request.cookie(name) : request.queryParam(name);
}
