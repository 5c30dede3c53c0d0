import type * as ir from '../../ir/index.ts';
import type { TestRequest } from './request.ts';

type Headers = TestRequest['headers'];

/** Headers as a ListenerPolicy has them changed, before routes are looked for. `pseudo`: those that HTTP/2 begins with a colon. */
export function editedHeaders(
  headers: Headers,
  { remove, removePrefixes, set, add, ifAbsent }: ir.HeaderEdit,
  pseudo: Readonly<Record<string, string>>,
): Headers {
  let edited = headers.filter(
    ([name]) => !remove.includes(name) && !removePrefixes.some((prefix) => name.startsWith(prefix)),
  );
  const has = (name: string) => edited.some(([each]) => each === name);
  const written = ({ value }: ir.EditedHeader) => value.map((part) => textOf(part, edited, pseudo)).join('');
  for (const header of set) {
    const value = written(header);
    if (value !== '') edited = [...edited.filter(([name]) => name !== header.name), [header.name, value]];
  }
  for (const header of [...add, ...ifAbsent]) {
    const value = written(header);
    if (value !== '' && (add.includes(header) || !has(header.name))) edited = [...edited, [header.name, value]];
  }
  return edited;
}

/** Before routes are looked for there are headers of the request alone. Several lines are one with commas. */
function textOf(part: ir.ValuePart, headers: Headers, pseudo: Readonly<Record<string, string>>): string {
  if (typeof part === 'string') return part;
  if (part.kind !== 'header') return '';
  return pseudo[part.name] ?? headers.flatMap(([name, value]) => (name === part.name ? [value] : [])).join(',');
}
