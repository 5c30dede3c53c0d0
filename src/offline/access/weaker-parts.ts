import type * as ir from '../../ir/index.ts';

/** How a part gets weaker without going away; undefined: it does not. A part without an entry does not compile. */
type Compare<P extends ir.AccessPart> = (
  before: NonNullable<ir.Access[P]>,
  after: NonNullable<ir.Access[P]>,
) => string | undefined;

const parts: { readonly [P in ir.AccessPart]: { readonly noun: string; readonly compare: Compare<P> } } = {
  clientIPs: {
    noun: 'an allowed address',
    compare: (before, after) =>
      (before.allow && !after.allow && 'every address is allowed') ||
      more(after.allow, before.allow, 'lets more networks in') ||
      more(before.deny, after.deny, 'denies fewer networks'),
  },
  clientCertificates: {
    noun: 'a client certificate',
    compare: (before, after) =>
      (before.names && !after.names && 'lets every client certificate in') ||
      more(after.names, before.names, 'lets client certificates with more names in'),
  },
  csrf: {
    noun: 'a page of its own host',
    compare: (before, after) =>
      (!before.shadow && after.shadow && 'csrf only counts') ||
      (watched(after) > watched(before) && 'csrf only counts for more requests') ||
      more(after.additionalOrigins, before.additionalOrigins, 'lets pages of more origins in'),
  },
  oidc: {
    noun: 'a login',
    compare: (before, after) =>
      more(after.passThrough, before.passThrough, 'lets more requests pass without a login') ||
      (providerOf(before) === providerOf(after) ? undefined : 'takes logins of another provider or client'),
  },
  any: {
    noun: 'one of several credentials',
    compare: (before, after) =>
      more(after.allow, before.allow, 'lets more networks in without a credential') ||
      more(Object.keys(after), Object.keys(before), 'takes more kinds of credentials') ||
      (before.clientCertificates &&
        after.clientCertificates &&
        parts.clientCertificates.compare(before.clientCertificates, after.clientCertificates)) ||
      (before.jwt && after.jwt && parts.jwt.compare(before.jwt, after.jwt)),
  },
  apiKeys: {
    noun: 'an API key',
    compare: (before, after) => more(after.from, before.from, 'takes keys in more places'),
  },
  basicAuth: { noun: 'a password', compare: () => undefined },
  jwt: {
    noun: 'a JWT',
    compare: (before, after) =>
      (!before.optional && after.optional && 'lets requests without a JWT in') ||
      more(
        after.providers.map(({ id }) => id),
        before.providers.map(({ id }) => id),
        'takes JWTs of more providers',
      ) ||
      after.providers.map((provider) => widened(before, provider)).find((text) => text !== undefined),
  },
  forwardAuth: {
    noun: 'the consent of a server',
    compare: (before, after) =>
      (!before.failOpen && after.failOpen && 'lets requests in while its server does not answer') ||
      more(after.exceptClientIPs, before.exceptClientIPs ?? [], 'lets more networks in without a question'),
  },
  authorization: {
    noun: 'what its rules say',
    compare: (before, after) =>
      (before.default === 'Deny' && after.default === 'Allow' && 'allows by default what it denied') ||
      more(rulesOf(before, 'Deny'), rulesOf(after, 'Deny'), 'has fewer or other Deny rules') ||
      more(rulesOf(after, 'Allow'), rulesOf(before, 'Allow'), 'has more or other Allow rules'),
  },
};

/** In percent. */
const watched = ({ shadow, shadowPercent = 0 }: ir.Csrf): number => (shadow ? 100 : shadowPercent);

const providerOf = ({ endpoints, clientId }: ir.Oidc): string => JSON.stringify([endpoints.authorization, clientId]);

const rulesOf = ({ rules }: ir.Authorization, action: 'Allow' | 'Deny') =>
  rules.filter((rule) => rule.action === action).map(({ when }) => when);

function widened({ providers }: ir.Jwt, after: ir.JwtProvider): string | undefined {
  const before = providers.find(({ id }) => id === after.id);
  if (!before) return undefined;
  if (before.issuer && !after.issuer) return 'takes JWTs of any issuer';
  if (before.audiences.length > 0 && after.audiences.length === 0) return 'takes JWTs for any audience';
  return after.audiences.length > 0
    ? more(after.audiences, before.audiences, 'takes JWTs for more audiences')
    : undefined;
}

/** The text where the first list has something that the second lacks. Where one of them is not there, nothing is said. */
function more<T>(these: readonly T[] | undefined, those: readonly T[] | undefined, text: string): string | undefined {
  if (!these || !those) return undefined;
  const known = new Set(those.map((each) => JSON.stringify(each)));
  return these.some((each) => !known.has(JSON.stringify(each))) ? text : undefined;
}

export const nounOf = (part: ir.AccessPart): string => parts[part].noun;

/** What was closed let no request in, and is no measure. */
export function comparePart(part: ir.AccessPart, before: ir.Access, after: ir.Access): string | undefined {
  const [was, is] = [before[part], after[part]];
  if (!was || !is || before.closed?.includes(part) || after.closed?.includes(part)) return undefined;
  return (parts[part].compare as (a: object, b: object) => string | undefined)(was, is) || undefined;
}
