import type { Table, Visit } from '../../kit/table.ts';
import { type Fields, fieldsOf, listOf, numberOf, textOf, textsOf, truthOf } from '../../kit/values.ts';

const old = 'Traefik 3 does nothing with it';

const response = (name: string, textFor: (value: unknown) => string | undefined) => (value: unknown, visit: Visit) => {
  const text = textFor(value);
  if (text !== undefined) visit.draft.push('Headers.response', { name, value: text });
};

const ifTrue = (text: string) => (value: unknown) => (truthOf(value) ? text : undefined);
const field = (name: string, textFor: (value: unknown) => string | undefined = textOf): Table[string] => ({
  by: response(name, textFor),
  knows: [],
});

/** The middleware `headers`. The draft has changes of headers as `Headers.request` and `Headers.response`; an empty value removes. */
export const headersTable: Table = {
  accessControlAllowOriginList: { to: 'AccessPolicy.cors.allowOrigins', as: originsOf },
  accessControlAllowOriginListRegex: { cannot: 'origins are listed: their answers have no permission here' },
  accessControlAllowMethods: { to: 'AccessPolicy.cors.allowMethods', as: textsOf },
  accessControlAllowHeaders: { to: 'AccessPolicy.cors.allowHeaders', as: textsOf },
  accessControlExposeHeaders: { to: 'AccessPolicy.cors.exposeHeaders', as: textsOf },
  accessControlMaxAge: { to: 'AccessPolicy.cors.maxAge', as: (value) => Math.max(1, numberOf(value)) },
  accessControlAllowCredentials: {
    by: (value, visit) => {
      const origins = visit.draft.get('AccessPolicy.cors.allowOrigins');
      if (value !== true) return;
      if (Array.isArray(origins) && origins.includes('*'))
        visit.miss('every page could act for its user: name the origins');
      else visit.set('AccessPolicy.cors.allowCredentials', true);
    },
    knows: [],
  },
  addVaryHeader: { none: 'answers vary by Origin where CORS is on' },
  allowedHosts: { cannot: 'hosts are those of the rule', blocks: true },
  hostsProxyHeaders: { none: 'the host is that of the request' },
  customRequestHeaders: { by: changesOf('request'), knows: ['*'] },
  customResponseHeaders: { by: changesOf('response'), knows: ['*'] },
  frameDeny: field('X-Frame-Options', ifTrue('DENY')),
  customFrameOptionsValue: field('X-Frame-Options'),
  contentTypeNosniff: field('X-Content-Type-Options', ifTrue('nosniff')),
  browserXssFilter: field('X-XSS-Protection', ifTrue('1; mode=block')),
  customBrowserXSSValue: field('X-XSS-Protection'),
  contentSecurityPolicy: field('Content-Security-Policy'),
  contentSecurityPolicyReportOnly: field('Content-Security-Policy-Report-Only'),
  referrerPolicy: field('Referrer-Policy'),
  permissionsPolicy: field('Permissions-Policy'),
  publicKey: field('Public-Key-Pins'),
  stsSeconds: { by: strictOf, knows: [] },
  stsIncludeSubdomains: { aside: 'Strict-Transport-Security' },
  stsPreload: { aside: 'Strict-Transport-Security' },
  forceSTSHeader: { aside: 'Strict-Transport-Security' },
  isDevelopment: { none: 'headers are written in any case' },
  featurePolicy: { none: old },
  sslForceHost: { none: old },
  sslHost: { none: old },
  sslProxyHeaders: { none: 'the scheme is that of the listener' },
  sslRedirect: { none: old },
  sslTemporaryRedirect: { none: old },
};

function originsOf(value: unknown, visit: Visit): readonly string[] {
  const all = textsOf(value);
  for (const origin of all.filter((each) => !isWeb(each))) visit.miss(`${origin} is no origin of http or https`);
  return all.filter(isWeb);
}

const isWeb = (origin: string): boolean => origin === '*' || /^https?:\/\//.test(origin);

function changesOf(direction: 'request' | 'response') {
  return (value: unknown, visit: Visit) => {
    for (const [name, text] of Object.entries(fieldsOf(value)))
      if (direction === 'request' && name.toLowerCase() === 'host') visit.set('Host.name', textOf(text));
      else visit.draft.push(`Headers.${direction}`, { name, value: textOf(text) });
  };
}

/** Needs the other fields of the middleware: `strictTransport` writes it. */
function strictOf(value: unknown, visit: Visit): void {
  visit.set('Strict.seconds', numberOf(value));
}

/** `Strict-Transport-Security`, of which four fields say parts. Over HTTP it is sent only if `forceSTSHeader` says so. */
export function strictTransport(headers: Fields, isTls: boolean, visit: Visit): void {
  const seconds = visit.draft.get('Strict.seconds');
  if (typeof seconds !== 'number' || seconds <= 0 || (!isTls && headers.forceSTSHeader !== true)) return;
  const parts = [
    `max-age=${seconds}`,
    ...(headers.stsIncludeSubdomains === true ? ['includeSubDomains'] : []),
    ...(headers.stsPreload === true ? ['preload'] : []),
  ];
  visit.draft.push('Headers.response', { name: 'Strict-Transport-Security', value: parts.join('; ') });
}

/** Changes of headers as the filters of the Gateway API have them: an empty value removes. The last value of a name counts. */
export function headerChanges(list: unknown): Fields | undefined {
  const all = new Map(listOf(list ?? []).map((item) => [textOf(fieldsOf(item).name).toLowerCase(), fieldsOf(item)]));
  const set = [...all.values()].filter(({ value }) => value !== '');
  const remove = [...all.values()].filter(({ value }) => value === '').map(({ name }) => name);
  if (set.length === 0 && remove.length === 0) return undefined;
  return { ...(set.length > 0 && { set }), ...(remove.length > 0 && { remove }) };
}
