import * as ir from '../../../ir/index.ts';

/** A match of preflights, and the rule that answers them. */
interface Preflight {
  readonly match: ir.RouteMatch;
  readonly rule: ir.RouteRule;
}

/**
 * A preflight has method OPTIONS and none of the headers of the request it asks for, so a match of another method, or of
 * headers, would never see one: these are the matches by which it finds the rule. It announces the method of the
 * request and the names of its headers, by which rules for one path differ. Source: Fetch, CORS-preflight.
 */
export function preflightsOf(match: ir.RouteMatch, rule: ir.RouteRule): readonly Preflight[] {
  const cors = rule.filters?.cors;
  if (!cors) return [];
  const { method, headers } = match;
  if (method !== undefined && method !== 'OPTIONS')
    return answers(preflight(match, [], { kind: 'exact', value: method }), rule, cors);
  return [
    // The match itself is for such preflights too: only their answer differs.
    ...(echoes(cors) ? answers(preflight(match, headers, present), rule, cors) : []),
    ...(headers.length > 0 ? [{ match: preflight(match, headers.map(announced), present), rule }] : []),
  ];
}

const preflight = (match: ir.RouteMatch, names: ir.RouteMatch['headers'], method: ir.ValueMatch): ir.RouteMatch => ({
  ...match,
  method: 'OPTIONS',
  headers: [...names, { name: 'origin', match: present }, { name: 'access-control-request-method', match: method }],
});

const echoes = ({ requestHeaders }: ir.Cors): boolean => requestHeaders.includes('*');

/** Envoy echoes what was asked for, and where nothing was a header without a value, which is to be left out. */
function answers(match: ir.RouteMatch, rule: ir.RouteRule, cors: ir.Cors): readonly Preflight[] {
  if (!echoes(cors)) return [{ match, rule }];
  return [
    { match: { ...match, headers: [...match.headers, { name: requestHeaders, match: present }] }, rule },
    { match, rule: { ...rule, filters: { ...rule.filters, cors: { ...cors, requestHeaders: [] } } } },
  ];
}

const requestHeaders = 'access-control-request-headers';

/** A preflight lists the names of the request's headers, in lower case. */
const announced = ({ name }: { readonly name: string }) => ({
  name: requestHeaders,
  match: { kind: 'regex' as const, value: `(.*,)?\\s*${ir.literalPattern(name.toLowerCase())}\\s*(,.*)?` },
});

const present: ir.ValueMatch = { kind: 'regex', value: '.+' };
