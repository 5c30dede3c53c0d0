import { entriesOf } from '../annotations/index.ts';
import { annotated, type Finding } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import { parseDirectives } from '../snippets/parse.ts';
import { headerName } from '../values/header-name.ts';
import { isHostname } from '../values/hostname.ts';
import { serviceUrl } from '../values/service-url.ts';
import { questionVariables, valueText } from '../values/variables.ts';
import {
  type ExternalServer,
  externalServerName,
  type Fields,
  type Grant,
  type Header,
  nothing,
  only,
  type Part,
} from './part.ts';

/** Where an Ingress is, and what can be looked up from there. */
export interface Placed {
  readonly namespace: string;
  /** Below the ConfigMap's `no-auth-locations`: its `global-auth-url` does not hold. */
  readonly isExempt: boolean;
  /** Of a ConfigMap, `NAME` or `NAMESPACE/NAME`; undefined if it is not there, or not known. */
  configMap(reference: string): Readonly<Record<string, string>> | undefined;
  /** The text of a Secret's entry; undefined if it is not there, or not known. */
  secretText(namespace: string, name: string, entry: string): string | undefined;
  /** The Service behind a path of the Ingress's own hosts, on all of which it must be the same. */
  serviceAt(path: string): { readonly name: string; readonly namespace: string; readonly port: number } | undefined;
}

const pathForm = /^\/[-A-Za-z0-9._~!&'()*+,;=:@%/]*(\?[-A-Za-z0-9._~!&'()*+,;=:@%/?]*)?$/;
const methods: readonly string[] = ['GET', 'HEAD', 'POST'];

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
  const signIn = signInOf(of('auth-signin'), of('auth-signin-redirect-param'));
  const method = methodOf(of('auth-method'));
  const headers = questionHeaders(of, placed);
  if ('fault' in headers) return only(annotated('auth-url'), annotated('auth-snippet', 'cannot', headers.fault));
  const { ref, path, external, grant } = server;
  return {
    findings: [annotated('auth-url'), ...method.findings, ...headers.findings, ...signIn.findings],
    ...(grant && { grants: [grant] }),
    ...(external && { external: [external] }),
    access: {
      forwardAuth: {
        backendRef: ref,
        http: {
          path,
          ...method.fields,
          allowWith: 'Successful',
          requestHeaders: ['cookie'],
          setHeaders: headers.set,
          ...toBackend(of('auth-response-headers')),
          toClient: ['set-cookie'],
        },
        ...signIn.fields,
      },
    },
  };
}

interface Found<F> {
  readonly findings: readonly Finding[];
  readonly fields: F;
}

/** nginx asks with GET unless the Ingress names another method. */
function methodOf(written: string): Found<{ readonly method?: string }> {
  const method = written === '' ? 'GET' : written.toUpperCase();
  const findings = written === '' ? [] : [annotated('auth-method')];
  if (methods.includes(method)) return { findings, fields: { method } };
  return { findings: [annotated('auth-method', 'differs', `${method}: asked with the client’s method`)], fields: {} };
}

interface QuestionHeaders {
  readonly findings: readonly Finding[];
  readonly set: readonly Fields[];
}

/** Headers of `auth-snippet`, which has lines `proxy_set_header NAME VALUE` alone; or the line that is more. nginx sends a header of both its own and the snippet's twice. */
function snippetHeaders(
  source: string,
  taken: ReadonlySet<string>,
): { readonly headers: readonly Header[] } | { readonly fault: string } {
  const headers = new Map<string, string>();
  for (const { name: directive, args, hasBlock, line, text } of parseDirectives(source)) {
    const [name = '', value = '', ...rest] = args;
    const lower = name.toLowerCase();
    const isOther = directive !== 'proxy_set_header' || hasBlock || rest.length > 0 || !headerName.test(name);
    const isTaken = fixedNames.test(name) || nginxNames.test(name) || taken.has(lower) || headers.has(lower);
    const written = isOther || isTaken ? undefined : valueText(value, questionVariables);
    if (written === undefined) return { fault: `line ${line}: ${text}` };
    headers.set(lower, written);
  }
  return { headers: [...headers].map(([name, value]) => ({ name, value })) };
}

/** What nginx itself says to the server besides. */
const nginxNames = /^(?:x-original-url|x-request-id|cookie|authorization)$/i;

/** What nginx says to the server of the request, and what `auth-request-redirect` and the ConfigMap of `auth-proxy-set-headers` add. */
function questionHeaders(of: (name: string) => string, placed: Placed): QuestionHeaders | { readonly fault: string } {
  const findings: Finding[] = [];
  const set = new Map<string, string>([
    ['x-original-method', '%REQ(:METHOD)%'],
    ['x-auth-request-redirect', '%REQ(:PATH)%'],
    ['x-sent-from', 'nginx-ingress-controller'],
    ['x-real-ip', '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%'],
  ]);
  const redirect = of('auth-request-redirect');
  if (redirect !== '') take('auth-request-redirect', 'x-auth-request-redirect', redirect);
  const reference = of('auth-proxy-set-headers');
  const data = reference === '' ? {} : placed.configMap(reference);
  if (data === undefined)
    findings.push(annotated('auth-proxy-set-headers', 'decision', `ConfigMap ${reference} could not be read`));
  else for (const [name, value] of Object.entries(data)) take('auth-proxy-set-headers', name.toLowerCase(), value);
  const lines = snippetHeaders(of('auth-snippet'), new Set(set.keys()));
  if ('fault' in lines) return lines;
  if (set.size + lines.headers.length > mostHeaders)
    return { fault: `the server gets ${mostHeaders} such headers at most` };
  for (const { name, value } of lines.headers) set.set(name, value);
  if (lines.headers.length > 0) findings.push(annotated('auth-snippet'));
  return { findings, set: [...set].map(([name, value]) => ({ name, value })) };

  function take(about: string, name: string, value: string): void {
    const text = fixedNames.test(name) ? undefined : valueText(value, questionVariables);
    const isFull = set.size >= mostHeaders && !set.has(name);
    findings.push(
      text === undefined || isFull
        ? annotated(about, 'decision', `${name}: ${value}: the server does not get this header`)
        : annotated(about),
    );
    if (text !== undefined && !isFull) set.set(name, text);
  }
}

/** Of forwardAuth.http.setHeaders. */
const mostHeaders = 16;
/** Of the connection or the message, and those by which proxies say where a request came from. */
const fixedNames =
  /^(?:host|connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|content-length|expect|x-forwarded-.*|x-envoy-.*|x-gw-.*)$/i;

function toBackend(text: string): { readonly toBackend?: readonly string[] } {
  const names = entriesOf(text).map((name) => name.toLowerCase());
  return names.length === 0 ? {} : { toBackend: names };
}

interface AuthServer {
  readonly ref: Fields;
  readonly path: string;
  readonly grant?: Grant;
  /** It is no Service of the cluster. */
  readonly external?: ExternalServer;
}

/** Where a URL leads, or why that is not known. */
function serverOf(url: string, placed: Placed): AuthServer | string {
  const ownPath = /^https?:\/\/\$(?:host|http_host|best_http_host)(\/.*)$/.exec(url)?.[1];
  const service =
    ownPath === undefined ? serviceUrl(url, '') : withPath(placed.serviceAt(ownPath.replace(/\?.*$/s, '')), ownPath);
  if (service === undefined || service.namespace === '') return outsideServer(url);
  if (!pathForm.test(service.path)) return oddPath;
  const { name, namespace, port, path } = service;
  const isAway = namespace !== placed.namespace;
  return {
    ref: { name, ...(isAway && { namespace }), port },
    path,
    ...(isAway && { grant: { from: 'AccessPolicy', to: 'Service', namespace, name } as const }),
  };
}

const oddPath = 'the path has variables, or letters that have no equivalent here';

const withPath = <T>(service: T | undefined, path: string) => service && { ...service, path };

/** A server by its name: no single word, which would be one of a namespace that is not written, and no name of the cluster. */
function outsideServer(url: string): AuthServer | string {
  const { scheme, host, port, path } =
    /^(?<scheme>https?):\/\/(?<host>[a-z0-9][-a-z0-9.]*\.[a-z][-a-z0-9]*)(?::(?<port>\d{1,5}))?(?<path>[/?].*)?$/i.exec(
      url,
    )?.groups ?? {};
  if (host === undefined || !isHostname(host.toLowerCase()) || /\.svc(?:\.|$)|\.local$/i.test(host))
    return 'no server that can be asked is known by this name';
  const target = path === undefined ? '/' : path.startsWith('?') ? `/${path}` : path;
  if (!pathForm.test(target)) return oddPath;
  const isTls = scheme?.toLowerCase() === 'https';
  const external = { hostname: host.toLowerCase(), port: Number(port ?? (isTls ? 443 : 80)), isTls };
  return {
    ref: { group: 'gateway.networking.x-k8s.io', kind: 'XBackend', name: externalServerName(external) },
    path: target,
    external,
  };
}

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
