import type * as ir from '../../../ir/index.ts';
import type { Claims, Presented } from '../presented.ts';
import { denies, passes, quoted, type Verdict } from '../verdict.ts';
import { sourcesText, sourceText } from './credentials.ts';
import { isSigned, type ReadToken, readToken } from './jwt-token.ts';

/** What proxies are configured with where a provider names no place. */
const bearer: ir.CredentialSource = { kind: 'header', name: 'authorization', prefix: 'Bearer ' };

const sourcesOf = ({ from }: ir.JwtProvider): readonly ir.CredentialSource[] => (from.length === 0 ? [bearer] : from);

/** Where tokens of any of the providers may be. */
export const tokenSources = ({ providers }: ir.Jwt): readonly ir.CredentialSource[] => providers.flatMap(sourcesOf);

/** Envoy's: how much clocks may differ. */
const skewSeconds = 60;

/** Tokens are never part of a reason. */
export async function judgeJwt({ optional, providers }: ir.Jwt, request: Presented): Promise<Verdict> {
  const failures: Failure[] = [];
  for (const provider of providers) {
    const tried = await tryProvider(provider, request);
    if ('token' in tried) return accepted(provider, tried, request);
    failures.push(tried);
  }
  // A token that is there must be good, although none has to be.
  if (optional && failures.every(({ kind }) => kind === 'missing'))
    return passes('there is no token, and it is optional');
  return denied(failures, providers, request);
}

type Kind = 'missing' | 'issuer' | 'audience' | 'other';

interface Failure {
  readonly kind: Kind;
  readonly reason: string;
}

interface Accepted {
  readonly token: ReadToken;
  readonly sources: readonly ir.CredentialSource[];
}

interface Place {
  readonly source: ir.CredentialSource;
  readonly text: string;
}

/** Every token that is in a place of the provider must be good: a backend might look at another one than the proxy. */
async function tryProvider(provider: ir.JwtProvider, request: Presented): Promise<Accepted | Failure> {
  for (const { header } of provider.claimsToHeaders) request.removeHeader(header);
  const places = placesOf(sourcesOf(provider), request);
  let good: Accepted | undefined;
  for (const { source, text } of places.reverse()) {
    const judged = await judgeToken(provider, text, source, request.now);
    if ('kind' in judged) return judged;
    good = { token: judged, sources: [...(good?.sources ?? []), source] };
  }
  return good ?? { kind: 'missing', reason: `there is no token in ${sourcesText(sourcesOf(provider))}` };
}

async function judgeToken(
  { issuer = '', audiences, keys }: ir.JwtProvider,
  text: string,
  source: ir.CredentialSource,
  now: Date,
): Promise<ReadToken | Failure> {
  const other = (reason: string): Failure => ({ kind: 'other', reason });
  const token = readToken(text);
  if ('fault' in token) return other(`the token in ${sourceText(source)} ${token.fault}`);
  const { claims } = token;
  if (issuer !== '' && token.issuer !== issuer)
    return { kind: 'issuer', reason: `no provider with issuer ${quoted(token.issuer)}` };
  // Proxies leave the fraction out.
  const seconds = Math.floor(now.getTime() / 1_000);
  if (token.notBefore > 0 && seconds + skewSeconds < token.notBefore)
    return other(`token valid in ${spanOf(token.notBefore - seconds)} only`);
  if (token.expires > 0 && seconds > token.expires + skewSeconds)
    return other(`token expired ${spanOf(seconds - token.expires)} ago`);
  if (audiences.length > 0 && !token.audiences.some((each) => audiences.map(plain).includes(plain(each))))
    return { kind: 'audience', reason: `audience ${audiences.join(' or ')} wanted, ${found(token.audiences)} found` };
  const signature = await isSigned(token, keys);
  if (signature === undefined) return { ...token, claims };
  return other(signature);
}

const found = (audiences: readonly string[]): string => audiences.map(quoted).join(', ') || 'none';

/** Envoy compares audiences without scheme and without a slash at the end. */
const plain = (audience: string): string => audience.replace(/^https?:\/\//, '').replace(/\/$/, '');

/** All that is in some places, in the order in which Envoy collects it. */
function placesOf(sources: readonly ir.CredentialSource[], request: Presented): Place[] {
  const of = (kind: ir.CredentialSource['kind'], keyOf: (source: ir.CredentialSource) => string) =>
    sources.filter((source) => source.kind === kind).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const headers = of('header', (source) => `${source.name}${prefixOf(source)}`);
  return [
    ...headers.flatMap((source) =>
      request
        .header(source.name)
        .flatMap((value) => behindPrefix(value, prefixOf(source)).map((text) => ({ source, text }))),
    ),
    ...of('query', ({ name }) => name).flatMap((source) => placed(source, request.queryParam(source.name))),
    ...of('cookie', ({ name }) => name).flatMap((source) => placed(source, request.cookie(source.name))),
  ];
}

const placed = (source: ir.CredentialSource, text: string | undefined): Place[] =>
  text === undefined ? [] : [{ source, text }];

const prefixOf = (source: ir.CredentialSource): string => (source.kind === 'header' ? (source.prefix ?? '') : '');

/** Envoy looks for the prefix anywhere in the value, and then for the first character that a token may have. */
function behindPrefix(value: string, prefix: string): string[] {
  if (prefix === '') return [value];
  const at = value.indexOf(prefix);
  if (at === -1) return [];
  const rest = value.slice(at + prefix.length);
  const start = rest.search(/[A-Za-z0-9\-_.]/);
  return [start === -1 ? value : rest.slice(start)];
}

function accepted(provider: ir.JwtProvider, { token, sources }: Accepted, request: Presented): Verdict {
  for (const { claim, header } of provider.claimsToHeaders) writeClaim(claim, header, token.claims, request);
  request.claims.set(provider.id, withScopes(token.claims));
  const place = sources[0] ? ` in ${sourceText(sources[0])}` : '';
  return passes(`the token${place} is of provider ${provider.id}`);
}

/** `scope` is one text in tokens, and a list where rules look at it. */
const withScopes = (claims: Claims): Claims =>
  typeof claims.scope === 'string' ? { ...claims, scope: claims.scope.match(/[^ ]+/g) ?? [] } : claims;

function writeClaim(path: readonly string[], header: string, claims: Claims, request: Presented): void {
  const value = path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Claims)[key] : undefined),
    claims,
  );
  if (typeof value === 'object' && value !== null)
    request.setHeader(header, Buffer.from(JSON.stringify(value)).toString('base64'));
  else if (value !== undefined && value !== null) request.setHeader(header, String(value));
}

/** Of several providers the last word counts, but for those that have nothing to say of the token. */
function denied(failures: readonly Failure[], providers: readonly ir.JwtProvider[], request: Presented): Verdict {
  const telling = failures.filter(({ kind }) => kind !== 'missing' && kind !== 'issuer');
  const last = telling.at(-1) ?? failures.find(({ kind }) => kind === 'issuer');
  if (last) return denies(statusOf(last), last.reason);
  const places = new Map(providers.flatMap(sourcesOf).map((source) => [sourceText(source), source]));
  return denies(401, `there is no token in ${[...places.keys()].join(' or ')}${misspelt(providers, request)}`);
}

/** Envoy compares prefixes letter by letter, although clients may write the names of schemes as they like. */
function misspelt(providers: readonly ir.JwtProvider[], request: Presented): string {
  const found = providers.flatMap(sourcesOf).find((source) => {
    const prefix = prefixOf(source).toLowerCase();
    const values = source.kind === 'header' ? request.header(source.name) : [];
    return prefix !== '' && values.some((value) => value.toLowerCase().startsWith(prefix));
  });
  return found ? `: ${quoted(prefixOf(found))} is compared with case` : '';
}

const statusOf = ({ kind }: Failure): number => (kind === 'audience' ? 403 : 401);

function spanOf(seconds: number): string {
  const units = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
  ] as const;
  const [size, unit] = units.find(([size]) => seconds >= size) ?? [1, 's'];
  return `${Math.round(seconds / size)} ${unit}`;
}
