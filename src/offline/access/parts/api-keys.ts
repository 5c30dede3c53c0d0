import type * as ir from '../../../ir/index.ts';
import type { Presented } from '../presented.ts';
import { denies, passes, type Verdict } from '../verdict.ts';
import { sourcesText, sourceText, valueAt } from './credentials.ts';

/** Keys are never part of a reason. */
export function judgeApiKeys({ keys, from, identityHeader }: ir.ApiKeys, request: Presented): Verdict {
  // A client that came in by several places is known by the first that is not empty.
  const source = from.find((each) => keyAt(each, request) !== '');
  if (!source) return denies(401, `there is no key in ${sourcesText(from)}`);
  const pairs = JSON.parse(Buffer.from(keys.reveal()).toString()) as readonly (readonly [string, string])[];
  const key = keyAt(source, request);
  const client = pairs.find(([, known]) => known === key)?.[0];
  if (client === undefined) return denies(401, `the key in ${sourceText(source)} is not known`);
  if (identityHeader !== undefined) request.setHeader(identityHeader, client);
  return passes(`the key in ${sourceText(source)} is of client ${client}`);
}

function keyAt(source: ir.CredentialSource, request: Presented): string {
  const value = valueAt(source, request) ?? '';
  return source.kind === 'header' && value.startsWith('Bearer ') ? value.slice('Bearer '.length) : value;
}
