import { STATUS_CODES } from 'node:http';
import type { Rule, Visit } from '../../kit/table.ts';
import { type Fields, fieldsOf, textOf, textsOf } from '../../kit/values.ts';

/** Source: TrafficPolicy. */
const [mostPages, mostCodes] = [16, 32];

/** What is asked for a page. The statuses of Traefik are ranges such as `500-599`. */
interface Page {
  readonly codes: readonly number[];
  readonly path: string;
}

/**
 * `errors`: error pages from a Service. Its name in the policy's words, with the namespace and the port that it has there, is written later: it is of the
 * Middleware's namespace. The draft has `ErrorPages.service` until then.
 */
export const errorsRule: Rule = {
  by: (value, visit) => {
    const { status = [], statusRewrites = {}, service, query = '/' } = fieldsOf(value);
    if (service === undefined || (fieldsOf(service).kind ?? 'Service') !== 'Service') {
      visit.at('service').miss('error pages come from Services: name one in errorPages of a TrafficPolicy');
      return;
    }
    const path = pathOf(textOf(query), visit);
    const codes = textsOf(status).flatMap((range) => codesOf(range, visit));
    if (path === undefined || codes.length === 0) return;
    const pages = pagesOf([...new Set(codes)], path);
    if (pages.length > mostPages) {
      visit.miss(`a policy has ${mostPages} error pages, and this would be ${pages.length}`);
      return;
    }
    if (Object.keys(fieldsOf(statusRewrites)).length > 0)
      visit.at('statusRewrites').miss('an error keeps its status where the page comes from a Service');
    visit.set('ErrorPages.service', service);
    visit.set(
      'TrafficPolicy.errorPages',
      pages.map(({ codes: of, path: asked }) => ({ ...classOrCodes(of), service: { path: asked } })),
    );
    visit.note(
      'differs',
      'the Service gets Host and Accept-Language of the request, and headers such as X-Code and X-Original-URI, and no others',
    );
  },
  knows: [
    ...['status', 'statusRewrites', 'query', 'errorRequestHeaders'],
    ...['name', 'namespace', 'port', 'kind'].map((name) => `service.${name}`),
  ],
};

/** The path of the page, with `{status}` where the status belongs; undefined if it needs the URL of the request. */
function pathOf(query: string, visit: Visit): string | undefined {
  const path = query.replaceAll('{originalStatus}', '{status}');
  if (!path.includes('{url}')) return path.startsWith('/') ? path : `/${path}`;
  visit.at('query').miss('the URL of the request is no part of the path: the Service gets it in X-Original-URI');
  return undefined;
}

/** Errors of a status or a range. Of what is no error, such as 302, there are no pages here. */
function codesOf(range: string, visit: Visit): readonly number[] {
  const [, from = '', to = from] = /^(\d{3})(?:-(\d{3}))?$/.exec(range.trim()) ?? [];
  const [first, last] = [Math.max(400, Number(from)), Math.min(599, Number(to))];
  if (from === '' || first > last || Number(from) < 400)
    visit.at('status').miss(`${range}: pages are for statuses from 400 to 599`);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** Statuses with the same path are one page, or several if they are too many for one. */
function pagesOf(codes: readonly number[], path: string): readonly Page[] {
  const isNamed = path.includes('{status}');
  // A page of its own for each status: for those that HTTP knows, unless they are few.
  const wanted = isNamed && codes.length > mostPages ? codes.filter((code) => STATUS_CODES[code] !== undefined) : codes;
  if (isNamed) return wanted.map((code) => ({ codes: [code], path: path.replaceAll('{status}', String(code)) }));
  return [...Map.groupBy(wanted, (code) => (code < 500 ? 4 : 5)).values()].flatMap((of) =>
    of.length === 100
      ? [{ codes: of, path }]
      : Array.from({ length: Math.ceil(of.length / mostCodes) }, (_, index) => ({
          codes: of.slice(index * mostCodes, (index + 1) * mostCodes),
          path,
        })),
  );
}

/** All hundred of them are a class. */
const classOrCodes = (codes: readonly number[]): Fields =>
  codes.length === 100 ? { classes: [`${String(codes[0]).charAt(0)}xx`] } : { codes };
