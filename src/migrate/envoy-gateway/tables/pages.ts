import type { Visit } from '../../kit/table.ts';
import { type Fields, fieldsOf, listOf, numberOf, textAt, textOf } from '../../kit/values.ts';

const sources: Readonly<Record<string, string>> = { All: 'Any', Local: 'Gateway', Backend: 'Backend' };

/** `responseOverride` of a BackendTrafficPolicy. */
export function pagesOf(value: unknown, visit: Visit): void {
  const made: Fields[] = [];
  visit.each(value, (item, at) => {
    const { match, redirect, response, source } = item;
    if (redirect !== undefined) return at.at('redirect').lose('an error is not turned into a redirect');
    const { statusCodes = [], responseHeaders } = fieldsOf(match);
    if (responseHeaders !== undefined)
      return at.at('match.responseHeaders').lose('headers of an answer are not compared');
    const { statusCode, contentType, body, header } = fieldsOf(response);
    if (header !== undefined) at.at('response.header').lose('pages have no headers of their own but the type');
    const codes = listOf(statusCodes).map(fieldsOf);
    const page = body === undefined ? undefined : bodyOf(fieldsOf(body), at.at('response.body'));
    made.push({
      ...(statusCode !== undefined && { status: numberOf(statusCode) }),
      ...statusesOf(codes, at.at('match.statusCodes')),
      ...(source !== undefined && { source: sources[textOf(source)] }),
      ...(page !== undefined && { body: { contentType: contentType ?? 'text/plain', ...page } }),
    });
  });
  if (made.length > 0) visit.set('TrafficPolicy.errorPages', made);
}

const classes: Readonly<Record<string, string>> = { '400-499': '4xx', '500-599': '5xx' };

function statusesOf(codes: readonly Fields[], visit: Visit): Fields {
  const list = new Set<number>();
  const whole = new Set<string>();
  for (const { value, range } of codes) {
    if (value !== undefined) list.add(numberOf(value));
    if (range === undefined) continue;
    const { start, end } = fieldsOf(range);
    const name = classes[`${start}-${end}`];
    if (name !== undefined) whole.add(name);
    else for (let code = numberOf(start); code <= Math.min(599, numberOf(end)); code += 1) list.add(code);
  }
  if (list.size > 32) visit.lose('an entry has 32 statuses: the first of them are kept');
  return {
    ...(list.size > 0 && { codes: [...list].slice(0, 32) }),
    ...(whole.size > 0 && { classes: [...whole] }),
  };
}

function bodyOf(body: Fields, visit: Visit): Fields | undefined {
  const inline = textAt(body, 'inline');
  if (inline !== undefined) return { inline };
  const { name } = fieldsOf(body.valueRef);
  visit.note(
    'decision',
    `label the ConfigMap, since its key is response.body: kubectl label configmap ${textOf(name)} gatewright.dev/credentials=true`,
  );
  return { configMapRef: { name: textOf(name), key: 'response.body' } };
}
