import type { Table, Visit } from '../../kit/table.ts';
import { type Fields, fieldsOf, listOf, textAt, textOf, textsOf, truthOf } from '../../kit/values.ts';
import { serverFields, serverOf } from './backend-ref.ts';

const cookie = 'cookies of logins have names of their own here: all users log in once more';

/** `oidc` of a SecurityPolicy. */
export const loginTable: Table = {
  cookieDomain: { to: 'AccessPolicy.oidc.cookies.domain', as: textOf },
  provider: {
    by: providerOf,
    knows: ['issuer', 'authorizationEndpoint', 'tokenEndpoint', 'endSessionEndpoint', ...serverFields],
  },
  clientID: { to: 'AccessPolicy.oidc.client.id', as: textOf },
  clientIDRef: { cannot: 'the client’s id is written into the policy here: oidc.client.id' },
  clientSecret: {
    to: 'AccessPolicy.oidc.client.secretRef',
    as: (value) => {
      const { name, namespace } = fieldsOf(value);
      return { name: textOf(name), ...(namespace !== undefined && { namespace: textOf(namespace) }) };
    },
  },
  scopes: { to: 'AccessPolicy.oidc.scopes', as: (value) => [...new Set(['openid', ...textsOf(value)])] },
  resources: { to: 'AccessPolicy.oidc.resources', as: textsOf },
  redirectURL: { by: redirectOf, knows: [] },
  logoutPath: { to: 'AccessPolicy.oidc.logout.path', as: textOf },
  forwardAccessToken: { to: 'AccessPolicy.oidc.forward.accessToken', as: truthOf },
  forwardIDToken: { in: { header: { to: 'AccessPolicy.oidc.forward.idTokenHeader' } } },
  passThroughAuthHeader: {
    by: (value, visit) => {
      if (value === true)
        visit.set('AccessPolicy.oidc.passThrough', [{ header: { name: 'authorization', prefix: 'Bearer ' } }]);
    },
    knows: [],
  },
  denyRedirect: { by: deniedOf, knows: ['headers'] },
  cookieNames: { none: cookie },
  cookieConfig: {
    in: {
      sameSite: {
        by: (value, visit) => {
          if (value === 'None') visit.set('AccessPolicy.oidc.cookies.sameSite', 'None');
          else if (value === 'Strict')
            visit.note('differs', 'cookies are Lax here: Strict ones do not come back from the provider');
        },
        knows: [],
      },
    },
  },
  csrfTokenTTL: { to: 'AccessPolicy.oidc.lifetimes.signIn', as: textOf },
  defaultTokenTTL: { to: 'AccessPolicy.oidc.lifetimes.accessToken', as: textOf },
  defaultRefreshTokenTTL: { to: 'AccessPolicy.oidc.lifetimes.refreshToken', as: textOf },
  disableTokenEncryption: { none: 'tokens in cookies are always encrypted' },
  refreshToken: { none: 'a login is renewed where the provider gives a refresh token' },
};

function providerOf(value: unknown, visit: Visit): void {
  const fields = fieldsOf(value);
  const issuer = textOf(fields.issuer);
  const authorization = textAt(fields, 'authorizationEndpoint');
  const token = textAt(fields, 'tokenEndpoint');
  const endSession = textAt(fields, 'endSessionEndpoint');
  if (authorization !== undefined && token !== undefined)
    visit.set('AccessPolicy.oidc.endpoints', { authorization, token, ...(endSession !== undefined && { endSession }) });
  else visit.set('AccessPolicy.oidc.issuer', issuer);
  visit.set('AccessPolicy.oidc.backendRef', serverOf(fields, visit));
}

/** Theirs is a URL that may take scheme and host of the request. */
function redirectOf(value: unknown, visit: Visit): void {
  const url = textOf(value);
  const [, own] = /^%REQ\(x-forwarded-proto\)%:\/\/%REQ\(:authority\)%(\/[^%?#]*)$/i.exec(url) ?? [];
  if (own !== undefined) visit.set('AccessPolicy.oidc.redirectPath', own);
  else if (/^https:\/\/[^%]*$/.test(url)) {
    if (visit.draft.get('AccessPolicy.oidc.cookies.domain') === undefined) {
      const path = URL.parse(url)?.pathname ?? '/oauth2/callback';
      visit.set('AccessPolicy.oidc.redirectPath', path);
      visit.note(
        'differs',
        `browsers come back to ${path} of the host that they asked for: register that URL of each host`,
      );
    } else visit.set('AccessPolicy.oidc.redirectURL', url);
  } else visit.lose('is neither an https URL nor a path of the host that was asked for');
}

function deniedOf(value: unknown, visit: Visit): void {
  const { headers = [] } = fieldsOf(value);
  const made: Fields[] = [];
  visit.at('headers').each(listOf(headers), (header, at) => {
    const { type = 'Exact', name, value: text } = header;
    if (type === 'Exact') made.push({ header: { name: textOf(name), value: textOf(text) } });
    else if (type === 'Prefix') made.push({ header: { name: textOf(name), prefix: textOf(text) } });
    else at.miss(`is compared by ${textOf(type)}: such requests are sent to the provider here`);
  });
  if (made.length > 0) visit.set('AccessPolicy.oidc.denyRedirect', made);
}
