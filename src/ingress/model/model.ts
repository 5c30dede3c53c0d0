import { objectKey, parseObjectKey } from '../../gateway-api/index.ts';
import { portNumber } from '../world/port-number.ts';
import type { World } from '../world/world.ts';
import { judge } from './access.ts';
import { canaryShare } from './canary.ts';
import { corsHeaders } from './cors.ts';
import { forwardedHeaders } from './forwarded-headers.ts';
import { readHost, serverOf } from './hosts.ts';
import { findLocation, type PlacedLocation } from './locations.ts';
import { appRootOf, httpsRedirect, wwwLocation } from './redirects.ts';
import type { ModelAnswer, ModelBackend, ModelRequest, RuleName } from './request.ts';
import { escapePath, type ReadPath, readPath, textOf, withQuery } from './request-path.ts';
import { retriesOf } from './retries.ts';
import { forwardedTarget } from './rewrite.ts';
import { buildServers, catchAll, type Server, type Servers } from './servers.ts';
import { readSettings, type Settings } from './settings.ts';
import { rejectedBy } from './snippet.ts';
import { defaultUpstream, type Upstream } from './upstreams.ts';

/** Lengths in bytes that nginx takes by default. Source: `large-client-header-buffers`. */
const longestLine = 8 * 2 ** 10;

/** What a request meets before it has a location. */
interface Arrival {
  readonly request: ModelRequest;
  readonly host: string;
  readonly read: ReadPath;
  readonly server: Server;
}

type Ending = Omit<ModelAnswer, 'headers' | 'open'> & Partial<Pick<ModelAnswer, 'headers' | 'open'>>;

/**
 * How an ingress-nginx answers: worked out from its objects alone, in the order in which nginx looks at them. Pure; a test holds its paths,
 * expressions, rewrites and redirects against a real nginx. Source: ingress-nginx 1.15.1.
 */
export class IngressNginxModel {
  readonly servers: Servers;
  readonly #settings: Settings;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.#settings = readSettings(world);
    this.servers = buildServers({ world, settings: this.#settings });
  }

  answer(request: ModelRequest): ModelAnswer {
    const { headers, open, ...ending } = this.#ending(request);
    const { hsts } = this.#settings;
    const isHttps = request.scheme === 'https' && !withoutTransport.has(ending.rule);
    return {
      ...ending,
      headers: { ...(isHttps && hsts !== undefined && { 'strict-transport-security': hsts }), ...headers },
      open: open ?? [],
    };
  }

  #ending(request: ModelRequest): Ending {
    const host = readHost(request.host);
    const read = readPath(request.target);
    if (host === undefined) return malformed(400, 'Host is not the name of a host');
    if (request.target.length > longestLine) return malformed(414, 'the request line is longer than 8 KiB');
    if (read === undefined) return malformed(400, 'the path is malformed, or leads above the root');
    if (request.headers.some(([name, value]) => name.length + value.length > longestLine))
      return malformed(400, 'a header is longer than 8 KiB');
    if (request.method === 'TRACE') return malformed(405, 'nginx takes no TRACE');
    const server = serverOf(this.servers, host);
    return this.#onServer({ request, host, read, server });
  }

  #onServer(arrival: Arrival): Ending {
    const { request, read, server } = arrival;
    if (server.locations.fault !== undefined)
      return { rule: 'bad-annotation', reason: 'nginx takes no such configuration', open: [server.locations.fault] };
    if (server.wwwOf !== undefined) {
      const location = wwwLocation(server.wwwOf, request, this.#settings);
      const status = this.#settings.httpRedirectCode;
      return { rule: 'www-redirect', status, location, reason: `${server.wwwOf} stands for this host` };
    }
    if (server.passthrough && request.scheme === 'https' && this.#passesTls)
      return { rule: 'tls-passthrough', reason: 'the connection goes to the backend as it is' };
    if (server.asksCertificate && request.scheme === 'https')
      return { rule: 'client-certificate', status: 400, reason: 'the client has shown no certificate' };
    if (server.closed !== undefined) return { rule: 'bad-annotation', status: 403, reason: server.closed };
    const root = read.path === '/' ? appRootOf(server.locations.all) : undefined;
    if (root) {
      const location = `${request.scheme}://${request.host}${root.rules.appRoot}`;
      return { rule: 'app-root', status: 302, location, reason: 'app-root of the host', ingress: root.rules.ingress };
    }
    return this.#onPath(arrival);
  }

  get #passesTls(): boolean {
    return this.#world.controller.flags.get('enable-ssl-passthrough') === 'true';
  }

  #onPath(arrival: Arrival): Ending {
    const { request, host, read, server } = arrival;
    const found = findLocation(server.locations, read.path);
    if (!found) return { rule: 'no-path', status: 404, reason: 'no location matches the path' };
    const { location } = found;
    const { ingress } = location.rules;
    if (found.kind === 'unknown') {
      const open = [`whether ${textOf(location.path)} matches: only nginx can try this expression`];
      return { rule: 'regex-path', reason: 'an expression that only nginx can try comes first', open, ingress };
    }
    if (found.kind === 'slash') {
      const to = `${request.scheme}://${host}${withQuery(escapePath(location.path), read.query)}`;
      const reason = `the path lacks only the slash of ${textOf(location.path)}`;
      return { rule: 'slash-redirect', status: 301, location: to, reason, ingress };
    }
    return { ingress, ...this.#withPage(this.#atLocation(arrival, location), location) };
  }

  /** What the default backend has in place of nginx's own errors, only it can say. */
  #withPage(ending: Ending, { rules: { pageCodes, ingress, defaultBackend = '' } }: PlacedLocation): Ending {
    const { status, open = [], ...others } = ending;
    if (status === undefined || !pageCodes.has(status)) return ending;
    const { services, controller } = this.#world;
    const hasOwn = services.has(objectKey(parseObjectKey(ingress).namespace, defaultBackend));
    if (!hasOwn && !controller.flags.has('default-backend-service')) return ending;
    return { ...others, open: [...open, `the page of the default backend for ${status}`] };
  }

  #atLocation(arrival: Arrival, location: PlacedLocation): Ending {
    const { request, host } = arrival;
    const { rules } = location;
    const { servers } = this;
    if (rules.bodyLimit > 0 && (request.bodyBytes ?? 0) > rules.bodyLimit)
      return { rule: 'body-size', status: 413, reason: `the body is larger than ${rules.bodyLimit} bytes` };
    if (rules.denied !== undefined) return { rule: 'bad-annotation', status: 503, reason: rules.denied };
    const cors = rules.cors && corsHeaders(rules.cors, request);
    if (cors && request.method === 'OPTIONS')
      return {
        rule: 'cors-preflight',
        status: 204,
        headers: cors,
        reason: 'nginx answers OPTIONS of an allowed origin',
      };
    const ending = this.#inLocation(arrival, location, { servers, settings: this.#settings, host });
    return { ...ending, headers: { ...cors, ...ending.headers } };
  }

  #inLocation(arrival: Arrival, location: PlacedLocation, site: Parameters<typeof httpsRedirect>[2]): Ending {
    const { request, host } = arrival;
    const { redirect, snippet } = location.rules;
    const rejected = rejectedBy(snippet, request);
    if (rejected !== undefined) return { rule: 'snippet', status: rejected, reason: 'a snippet rejects it' };
    if (redirect) {
      // nginx makes an address of a path. Source: `absolute_redirect`.
      const to = redirect.url.startsWith('/') ? `${request.scheme}://${host}${redirect.url}` : redirect.url;
      return { rule: 'redirect', status: redirect.code, location: to, reason: 'an annotation redirects' };
    }
    const https = httpsRedirect(location, request, site);
    const status = this.#settings.httpRedirectCode;
    if (https !== undefined) return { rule: 'https-redirect', status, location: https, reason: 'it came without TLS' };
    return this.#toUpstream(arrival, location);
  }

  #toUpstream(arrival: Arrival, location: PlacedLocation): Ending {
    const { rules } = location;
    const upstream = this.#upstreamOf(location);
    if (upstream?.hasEndpoints === false)
      return { rule: 'no-endpoints', status: 503, reason: `Service ${upstream.service} has no endpoints` };
    const verdict = judge(rules.access, arrival.request);
    if (!verdict.passes) {
      const { status: code, reason, challenge } = verdict;
      const rule = code === 401 ? 'login' : 'not-allowed';
      return {
        rule,
        status: code,
        reason,
        ...(challenge !== undefined && { headers: { 'www-authenticate': challenge } }),
      };
    }
    if (upstream === undefined) {
      const rule = arrival.server.host === catchAll ? 'unknown-host' : 'no-path';
      return { rule, status: 404, reason: 'it is answered by the default backend', open: verdict.open };
    }
    return this.#forward(arrival, location, upstream, verdict.open);
  }

  /** Undefined: the controller's own default backend. */
  #upstreamOf({ upstream: name, rules }: PlacedLocation): Upstream | undefined {
    const upstream = this.servers.upstreams.get(name);
    if (name === defaultUpstream || upstream === undefined) return this.#standardUpstream();
    const { namespace } = parseObjectKey(rules.ingress);
    const instead = upstream.hasEndpoints === false ? rules.defaultBackend : undefined;
    return instead === undefined ? upstream : this.#serviceUpstream(namespace, instead, upstream);
  }

  #standardUpstream(): Upstream | undefined {
    const { namespace, name } = parseObjectKey(this.#world.controller.flags.get('default-backend-service') ?? '');
    return name === '' ? undefined : this.#serviceUpstream(namespace, name, undefined);
  }

  /** The first port of a Service, if it has endpoints. */
  #serviceUpstream(namespace: string, service: string, otherwise: Upstream | undefined): Upstream | undefined {
    const known = this.#world.services.get(`${namespace}/${service}` as never);
    if (known === undefined) return otherwise;
    const port = String(known.spec.ports?.[0]?.port ?? '');
    return { name: '', namespace, service, port, canary: undefined, hasEndpoints: 'unknown', alternatives: [] };
  }

  #forward(
    { request, host, read }: Arrival,
    location: PlacedLocation,
    upstream: Upstream,
    open: readonly string[],
  ): Ending {
    const variables = {
      host,
      http_host: request.host,
      scheme: request.scheme,
      uri: read.path,
      request_uri: request.target,
      args: read.query ?? '',
      request_method: request.method,
    };
    const { target, isRewritten } = forwardedTarget(location, read, request.target, variables);
    const { backends, isCanary, open: more } = this.#backends(upstream, request);
    const written = location.rules.upstreamHost ?? request.host;
    return {
      rule: isCanary ? 'canary' : isRewritten ? 'rewrite' : formRules[location.form],
      reason: `${location.form === 'regex' ? 'the expression' : `the ${location.form} path`} ${textOf(location.path)} takes it`,
      forwarded: {
        backends,
        target,
        host: written,
        headers: forwardedHeaders(request, this.#settings),
        retries: retriesOf(location.rules, request),
      },
      open: [
        ...open,
        ...more,
        ...(target === undefined ? ['what the rewrite makes of the path'] : []),
        ...(upstream.hasEndpoints === 'unknown' ? [`whether Service ${upstream.service} has endpoints`] : []),
      ],
    };
  }

  /** The primary, and the first of its canaries that has endpoints. */
  #backends(primary: Upstream, request: ModelRequest) {
    const canary = this.servers.upstreams.get(primary.alternatives[0] ?? '');
    const alone = { backends: [this.#backendOf(primary, 1)], isCanary: false, open: [] };
    if (canary?.canary === undefined || canary.hasEndpoints === false) return alone;
    const share = canaryShare(canary.canary, request);
    if (share === 'unknown') return { ...alone, isCanary: true, open: ['whether the header is of the canary'] };
    const all = [this.#backendOf(canary, share), this.#backendOf(primary, 1 - share)];
    return { backends: all.filter((backend) => backend.share > 0), isCanary: share > 0, open: [] };
  }

  /** Its port by number, where that is known. */
  #backendOf({ namespace, service, port }: Upstream, share: number): ModelBackend {
    const number = portNumber(this.#world, objectKey(namespace, service), port);
    return { namespace, service, port: number === undefined ? port : String(number), share };
  }
}

/** Answers that are not nginx's own, or that it gives before it knows the host. */
const withoutTransport: ReadonlySet<RuleName> = new Set(['malformed', 'www-redirect', 'tls-passthrough']);

const formRules: Readonly<Record<PlacedLocation['form'], RuleName>> = {
  exact: 'exact-path',
  prefix: 'prefix-path',
  regex: 'regex-path',
};

const malformed = (status: number, reason: string): Ending => ({ rule: 'malformed', status, reason });
