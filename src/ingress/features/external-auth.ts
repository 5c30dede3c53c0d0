import { entriesOf } from '../annotations/index.ts';
import { annotated, type Finding } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import { serviceUrl } from '../values/service-url.ts';
import { nothing, only, type Part } from './part.ts';

/** Where an Ingress is, and what can be looked up from there. */
export interface Placed {
  readonly namespace: string;
  /** Below the ConfigMap's `no-auth-locations`: its `global-auth-url` does not hold. */
  readonly isExempt: boolean;
  /** The text of a Secret's entry; undefined if it is not there, or not known. */
  secretText(namespace: string, name: string, entry: string): string | undefined;
  /** The Service behind a path of the Ingress's own hosts, on all of which it must be the same. */
  serviceAt(path: string): { readonly name: string; readonly namespace: string; readonly port: number } | undefined;
}

const pathForm = /^\/[-A-Za-z0-9._~!$&'()*+,;=:@%/]*$/;
const withoutWord = ['auth-method', 'auth-snippet', 'auth-proxy-set-headers', 'auth-request-redirect'] as const;

/** `auth-url`, or the ConfigMap's `global-auth-url` where the Ingress does not switch it off. */
export function externalAuth(settings: SettingsOf, placed: Placed): Part {
  const own = settings.set('auth-url');
  const isGlobal = own === undefined;
  const url =
    own ??
    (settings.is('enable-global-auth') && !placed.isExempt ? settings.config['global-auth-url']?.trim() : undefined);
  if (url === undefined || url === '') return nothing;
  const of = (name: string) => (isGlobal ? (settings.config[`global-${name}`]?.trim() ?? '') : settings.get(name));
  const server = serverOf(url, placed);
  if (typeof server === 'string') return only(annotated('auth-url', 'cannot', `${url}: ${server}`));
  const lost = withoutWord.filter((name) => of(name) !== '' && !(name === 'auth-method' && of(name) === 'GET'));
  const signIn = signInOf(of('auth-signin'), of('auth-signin-redirect-param'));
  const { name, namespace, port, path } = server;
  const isAway = namespace !== placed.namespace;
  return {
    findings: [
      annotated('auth-url'),
      ...answersFinding(path),
      ...lost.map((each) => annotated(each, each === 'auth-method' ? 'differs' : undefined)),
      ...signIn.findings,
    ],
    ...(isAway && { grants: [{ from: 'AccessPolicy', to: 'Service', namespace, name }] }),
    access: {
      forwardAuth: {
        backendRef: { name, ...(isAway && { namespace }), port },
        http: {
          path,
          requestHeaders: ['cookie'],
          ...toBackend(of('auth-response-headers')),
          toClient: ['set-cookie'],
        },
        ...signIn.fields,
      },
    },
  };
}

function toBackend(text: string): { readonly toBackend?: readonly string[] } {
  const names = entriesOf(text).map((name) => name.toLowerCase());
  return names.length === 0 ? {} : { toBackend: names };
}

type AuthServer = { readonly name: string; readonly namespace: string; readonly port: number; readonly path: string };

/** The Service that a URL leads to, or why that is not known. */
function serverOf(url: string, placed: Placed): AuthServer | string {
  const ownPath = /^https?:\/\/\$(?:host|http_host|best_http_host)(\/[^?]*)$/.exec(url)?.[1];
  const service = ownPath === undefined ? undefined : placed.serviceAt(ownPath);
  const server = service === undefined ? serviceUrl(url, '') : { ...service, path: ownPath as string };
  if (server === undefined || server.namespace === '')
    return 'a server is asked that is a Service of the cluster, by http';
  if (!pathForm.test(server.path)) return 'the path has a query, or letters that have no word here';
  return server;
}

/** oauth2-proxy says yes by 202, which lets no request in here. */
const answersFinding = (path: string): readonly Finding[] =>
  path.startsWith('/oauth2/auth')
    ? [
        {
          verdict: 'decision',
          about: 'auth-url',
          text: 'oauth2-proxy answers 202 there, and only 200 lets a request in: start it with --upstream=static://200 and ask for the path /',
        },
      ]
    : [];

const signInForm =
  /^https?:\/\/(?<host>\$host|\$http_host|[-A-Za-z0-9.:]+)(?<path>\/[-A-Za-z0-9._~!&'()*+,;=:@%/]*)?(?:\?(?<query>.*))?$/;

function signInOf(
  url: string,
  parameter: string,
): {
  readonly findings: readonly Finding[];
  readonly fields: { readonly signIn?: { readonly [name: string]: string } };
} {
  if (url === '') return { findings: [], fields: {} };
  const { host, path = '/', query } = signInForm.exec(url)?.groups ?? {};
  const named =
    /^([-A-Za-z0-9._~]+)=(?:https?:\/\/|\$scheme:\/\/)?(?:\$host|\$http_host)?\$(?:escaped_)?request_uri$/.exec(
      query ?? '',
    )?.[1];
  if (host === undefined || (query !== undefined && named === undefined))
    return {
      findings: [
        annotated('auth-signin', 'cannot', `${url}: a URL with one parameter for the page that was asked for`),
      ],
      fields: {},
    };
  const returnParam = named ?? (parameter === '' ? 'rd' : parameter);
  const where = host.startsWith('$') ? path : `${url.split('?')[0]}`;
  return {
    findings: [annotated('auth-signin')],
    fields: { signIn: { url: where, ...(returnParam !== 'rd' && { returnParam }) } },
  };
}
