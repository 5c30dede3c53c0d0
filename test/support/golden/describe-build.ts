import { stringify } from 'yaml';
import type { Condition, Status } from '../../../src/gateway-api/index.ts';
import type { BuildResult } from '../../../src/graph/index.ts';
import type * as ir from '../../../src/ir/index.ts';

/** A build as a reviewer wants to read it: one line for each condition, and the IR without what is empty. */
export function describeBuild({ snapshot, statuses }: BuildResult): string {
  const desired = statuses
    .flatMap(({ kind, key, status }) =>
      status && kind !== 'GatewayClass' ? [[`${kind} ${key}`, describeStatus(status)] as const] : [],
    )
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const gateways = [...snapshot.gateways.values()].map((gateway) => [gateway.key, describeGateway(gateway)]);
  const secured = [...snapshot.backends.values()].flatMap((backend) => {
    const text = backendText(backend);
    return text === 'http1' ? [] : [[backend.key, text] as const];
  });
  const endpoints = [...snapshot.endpoints].map(([key, { endpoints: list, failoverBelow, checkPort }]) => [
    `${key}${failoverBelow === undefined ? '' : ` (with fewer than ${failoverBelow} % well, the next)`}${checkPort === undefined ? '' : ` (checked at port ${checkPort})`}`,
    list.map(
      ({ address, port, health, zone, priority }) =>
        `${address}:${port}${health === 'ready' ? '' : ` ${health}`}${zone ? ` in ${zone}` : ''}${priority ? ` as ${priority}` : ''}`,
    ),
  ]);
  return stringify(
    {
      statuses: Object.fromEntries(desired),
      gateways: Object.fromEntries(gateways),
      ...(secured.length > 0 && { backends: Object.fromEntries(secured.sort()) }),
      endpoints: Object.fromEntries(endpoints.sort()),
    },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}

const backendText = ({
  protocol,
  tls,
  hostname,
  port,
  retryBudget,
  prefersZone,
  tuning,
  patch,
  ai,
  named,
  pool,
}: ir.Backend): string =>
  [
    protocol,
    tls && tlsText(tls),
    hostname && `at ${hostname}:${port} by DNS`,
    retryBudget &&
      `retries up to ${retryBudget.percent} % of ${retryBudget.intervalMs} ms, ${retryBudget.minPerSecond} in any case`,
    prefersZone && "first in the proxy's zone",
    tuning && JSON.stringify(tuning),
    patch && `patched ${JSON.stringify(patch)}`,
    ai && aiText(ai),
    named && namedText(named),
    pool && poolText(pool),
  ]
    .filter(Boolean)
    .join(' ');

const namedText = ({ hosts, ports, reachesPrivate }: ir.NamedServers): string =>
  `where requests say: ${hosts.join(', ')}, ports ${ports.join(', ')}${reachesPrivate ? ', private ones too' : ''}`;

const poolText = ({ servers, picker }: ir.Pool): string =>
  picker
    ? `asks ${picker.backend} as ${picker.authority} (${picker.mode}${picker.failOpen ? ', else any' : ''}) for one of ${servers}`
    : '503';

const aiText = (ai: ir.AiService | ir.AiRoute): string => {
  const pattern = ({ name, match }: Pick<ir.AiModel, 'name' | 'match'>) => `${name}${match === 'prefix' ? '*' : ''}`;
  if (ai.kind === 'service') {
    const models = ai.models.map((model) => `${pattern(model)}${model.as ? ` as ${model.as}` : ''}`);
    return `${ai.pool === undefined ? '' : `at ${ai.pool} `}speaks ${ai.schema}${ai.credential ? ` with ${ai.credential.header}` : ''}: ${models.join(', ')}`;
  }
  const choices = ai.choices.map(
    ({ model, shares }) =>
      `${pattern(model)} -> ${
        shares
          .map(
            ({ weight, steps }) =>
              `${steps.map(({ service }) => service).join(', else ')}${shares.length > 1 ? ` x${weight}` : ''}`,
          )
          .join(', ') || '503'
      }`,
  );
  return `${ai.budgetHeaders ? `within budgets by ${ai.budgetHeaders.join(', ') || 'route'}; ` : ''}${choices.join('; ')}`;
};

const tlsText = ({
  serverName,
  names,
  authorities,
  clientCertificate,
  ownCertificate,
  unverified,
}: ir.BackendTls): string =>
  [
    `TLS to ${serverName}`,
    `known as ${names.map(({ kind, value }) => `${kind} ${value}`).join(' or ')}`,
    unverified ? 'unverified' : authorities ? 'by its own authorities' : 'by those of the system',
    (ownCertificate?.secret.key ?? clientCertificate) && `shown ${ownCertificate?.secret.key ?? clientCertificate}`,
  ]
    .filter(Boolean)
    .join(', ');

function describeStatus(status: Status): unknown {
  if ('parents' in status) {
    return status.parents.map(({ parentRef, conditions }) => ({
      [[parentRef.name, parentRef.sectionName].filter(Boolean).join('/')]: conditions.map(line),
    }));
  }
  if ('ancestors' in status) {
    return status.ancestors.map(({ ancestorRef, conditions }) => ({ [ancestorRef.name]: conditions.map(line) }));
  }
  if (
    status.kind === 'GatewayClass' ||
    status.kind === 'AIService' ||
    status.kind === 'DynamicBackend' ||
    status.kind === 'HTTPFilter' ||
    status.kind === 'TokenPolicy'
  )
    return status.conditions.map(line);
  if (status.kind === 'DataPlane')
    return { conditions: status.conditions.map(line), attachedGateways: status.attachedGateways };
  return {
    conditions: status.conditions.map(line),
    ...('attachedListenerSets' in status && { attachedListenerSets: status.attachedListenerSets }),
    ...Object.fromEntries(
      status.listeners.map(({ name, attachedRoutes, conditions }) => [
        `listener ${name}`,
        [`${attachedRoutes} routes`, ...conditions.filter(isWorthReporting).map(line)],
      ]),
    ),
  };
}

const line = ({ type, status, reason, message }: Condition): string =>
  `${type}=${status} ${reason}${message ? `: ${message}` : ''}`;

/** A listener in good health is shown by its count alone; waiting for a proxy is the same for all of these cases. */
const isWorthReporting = ({ type, status, reason }: Condition): boolean =>
  reason !== 'AddressNotAssigned' &&
  (type === 'Conflicted' || type === 'OverlappingTLSConfig' ? status === 'True' : status === 'False');

function describeGateway({ listeners, tables, streams }: ir.Fleet): unknown {
  const chains = [...listeners.values()].flatMap(({ key, chains: list, ...listener }) => {
    const { proxyProtocol, bufferBytes, keepalive, maxConcurrentStreams, patch } = listener;
    const shared = settingsText({ proxyProtocol, bufferBytes, keepalive, maxConcurrentStreams, patch });
    return list.map((chain) => {
      if (chain.kind === 'closed') return `${key} ${chain.name} closed`;
      const { kind, name, table, tls } = chain;
      const log = kind === 'http' && chain.accessLog ? ` (logged: ${JSON.stringify(chain.accessLog)})` : '';
      return `${key} ${name} -> ${table}${kind === 'stream' && !tls ? ' (bytes)' : ''}${tls ? ` (${chainTlsText(tls)})` : ''}${log}${settingsText(settingsOf(chain))}${shared}`;
    });
  });
  const hosts = [...tables.values()].flatMap((table) =>
    (['exact', 'fallback'] as const).flatMap((scope) =>
      [...table[scope].values()].map((host) => [`${table.id} ${host.host}`, describeHost(host)] as const),
    ),
  );
  const streamHosts = [...streams.values()].flatMap(({ id, hosts: map }) =>
    [...map.values()].map((host) => [`${id} ${host.host}`, describeStreamHost(host)] as const),
  );
  const guards = [...tables.values()].flatMap(({ id, access }) => (access ? [[id, accessText(access)] as const] : []));
  const limits = [...tables.values()].flatMap((table) =>
    table.limits ? [[table.id, JSON.stringify(table.limits)] as const] : [],
  );
  const treated = [...tables.values()].flatMap(({ id, traffic }) =>
    (traffic?.parts ?? []).map(({ filters, hostnames }) => [
      `${id} ${hostnames?.join(' ') ?? 'all'}`,
      JSON.stringify(filters),
    ]),
  );
  const all = [...hosts, ...streamHosts].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    chains,
    ...(guards.length > 0 && { guards: Object.fromEntries(guards.sort()) }),
    ...(limits.length > 0 && { limits: Object.fromEntries(limits.sort()) }),
    ...(treated.length > 0 && { traffic: Object.fromEntries(treated) }),
    hosts: Object.fromEntries(all),
  };
}

const settingsOf = ({ maxConnections, tls, ...chain }: Exclude<ir.Chain, ir.ClosedChain>) => ({
  maxConnections,
  ...(tls?.parameters && { tls: tls.parameters }),
  ...(chain.kind === 'http' && { client: chain.client, http3: chain.http3 }),
});

function settingsText(settings: object): string {
  const text = JSON.stringify(settings);
  return text === '{}' ? '' : ` ${text}`;
}

const chainTlsText = ({ serverNames, certificates, clients }: ir.ChainTls): string =>
  [
    `SNI ${serverNames.join(', ') || 'any other'}`,
    certificates.join(', '),
    clients && (clients.required ? 'clients with a certificate only' : 'clients are asked for a certificate'),
    clients?.revocation && `revoked${clients.revocation.leafOnly ? ' of themselves' : ''} are looked up`,
    clients?.pins && `pinned ${JSON.stringify(clients.pins)}`,
  ]
    .filter(Boolean)
    .join('; ');

function describeStreamHost({ source, shares, sources, certificates }: ir.StreamHost): string {
  if (shares.length === 0) return source ? `closed   (${source})` : 'closed';
  const targets = shares.map(({ backend, weight }) => `${backend ?? 'closed'} x${weight}`);
  const from = sources ? `; from ${networksText(sources.allow)} but ${networksText(sources.deny)}` : '';
  const shown = certificates ? `; certificates ${JSON.stringify(certificates)}` : '';
  return `${targets.join(', ')}${from}${shown}   (${source})`;
}

const networksText = (list: readonly ir.Cidr[]): string =>
  list.map(({ address, prefixLength }) => `${address}/${prefixLength}`).join(', ') || 'none';

function describeHost({ routes, fallThrough, misdirected, preRoutingAuth = [] }: ir.VirtualHost): unknown {
  const end = misdirected ? 'else 421' : fallThrough ? 'else fall through' : 'else 404';
  return [
    ...preRoutingAuth.map((auth) => `first ${authText(auth)}`),
    ...routes.map(
      ({ id, match, rule }) =>
        `${matchText(match)} -> ${actionText(rule)}${patchText(rule.patch)}   (${id.replace('httproute/', '')})`,
    ),
    end,
  ];
}

const patchText = (patch: object | undefined): string => (patch ? ` patched ${JSON.stringify(patch)}` : '');

function matchText({ path, method, headers, queryParams, grpc, cookies = [] }: ir.RouteMatch): string {
  const named = (entries: readonly ir.NamedMatch[], mark: string) =>
    entries.map(({ name, match }) => `${mark}${name}${match.kind === 'exact' ? '=' : '~'}${match.value}`);
  return [
    grpc && 'gRPC',
    method,
    `${path.kind} ${path.value}`,
    ...named(headers, ''),
    ...named(queryParams, '?'),
    ...named(cookies, 'cookie '),
  ]
    .filter(Boolean)
    .join(' ');
}

function actionText({
  action,
  filters: { requestHeaders, responseHeaders, mirrors = [], cors, access, externalAuth = [], ...others } = {},
  rewrite,
  requestTimeoutMs,
  backendRequestTimeoutMs,
  streamIdleTimeoutMs,
  maxStreamDurationMs,
  retry,
  hash,
  tracing,
  accessLog,
  upgrades,
}: ir.RouteRule): string {
  const extra = [
    requestHeaders && `request ${changesText(requestHeaders)}`,
    responseHeaders && `response ${changesText(responseHeaders)}`,
    rewriteText(rewrite),
    requestTimeoutMs !== undefined && `timeout ${requestTimeoutMs} ms`,
    backendRequestTimeoutMs !== undefined && `try ${backendRequestTimeoutMs} ms`,
    streamIdleTimeoutMs !== undefined && `idle ${streamIdleTimeoutMs} ms`,
    maxStreamDurationMs !== undefined && `stream ${maxStreamDurationMs} ms`,
    retry && retryText(retry),
    hash && `hash ${JSON.stringify(hash)}`,
    tracing && `spans ${JSON.stringify(tracing)}`,
    accessLog && `logged ${JSON.stringify(accessLog)}`,
    upgrades && `upgrades ${JSON.stringify(upgrades)}`,
    ...mirrors.map(mirrorText),
    cors && corsText(cors),
    access && `access ${accessText(access)}`,
    ...externalAuth.map(authText),
    ...otherFilters(others),
  ].filter(Boolean);
  const target =
    action.kind === 'forward'
      ? action.backends.map((share) => shareText(share, action.invalidStatus)).join(', ')
      : action.kind === 'respond'
        ? [action.status, action.answer && JSON.stringify(action.answer)].filter(Boolean).join(' ')
        : `redirect ${JSON.stringify(Object.fromEntries(Object.entries(action).filter(([key]) => key !== 'kind')))}`;
  return [target, ...extra].join('; ');
}

function shareText(
  {
    backend,
    weight,
    rewrite,
    filters: { mirrors = [], externalAuth = [], requestHeaders, responseHeaders, ...others } = {},
    session,
    retries,
  }: ir.WeightedBackend,
  invalidStatus: number,
): string {
  const extra = [
    requestHeaders && `request ${changesText(requestHeaders)}`,
    responseHeaders && `response ${changesText(responseHeaders)}`,
    rewriteText(rewrite),
    ...mirrors.map(mirrorText),
    ...externalAuth.map(authText),
    ...otherFilters(others),
    session && sessionText(session),
    retries && (retries === 'never' ? 'never tried again' : 'tried again only if not processed'),
  ].filter(Boolean);
  const target = `${backend ?? `invalid (${invalidStatus})`} x${weight}`;
  return extra.length > 0 ? `${target} (${extra.join('; ')})` : target;
}

/** Without what changes with a secret, which says nothing to a reader. */
const accessText = (access: object): string =>
  JSON.stringify(access, (key, value) => (key === 'version' ? undefined : value));

/** A filter without words of its own here. */
const otherFilters = (filters: object): string[] =>
  Object.entries(filters).map(([key, value]) => `${key} ${JSON.stringify(value)}`);

const sessionText = (session: ir.Session): string =>
  [
    `session by ${session.kind} ${session.name}`,
    session.lifetimeSeconds !== undefined && `for ${session.lifetimeSeconds} s`,
    session.kind === 'cookie' && `on ${session.path}`,
    session.kind === 'cookie' && session.permanent && 'kept by clients',
    session.kind === 'cookie' && session.secure && 'over TLS only',
  ]
    .filter(Boolean)
    .join(' ');

const rewriteText = (rewrite: ir.UrlRewrite | undefined): string =>
  [
    rewrite?.host && `host ${rewrite.host}`,
    rewrite?.hostFrom &&
      `host from ${JSON.stringify(rewrite.hostFrom)}${rewrite.forwardsHost ? ', and the former one in X-Forwarded-Host' : ''}`,
    rewrite?.path && `path ${rewrite.path.kind} ${rewrite.path.value}`,
  ]
    .filter(Boolean)
    .join('; ');

function retryText({ attempts, codes, on = [], backoffMs, maxBackoffMs, perPriority }: ir.Retry): string {
  if (attempts === 0) return 'never tried again';
  const wait = backoffMs ? ` after ${backoffMs}${maxBackoffMs ? ` to ${maxBackoffMs}` : ''} ms` : '';
  const places = perPriority ? `, ${perPriority} at each priority` : '';
  return `retry ${attempts} times on ${['no connection', ...codes, ...on].join(', ')}${wait}${places}`;
}

const mirrorText = ({ backend, perMillion }: ir.Mirror): string => `copy ${perMillion / 10_000} % to ${backend}`;

const authText = ({
  backend,
  protocol,
  requestHeaders,
  responseHeaders,
  pathPrefix,
  maxBodyBytes,
}: ir.ExternalAuth): string =>
  [
    `ask ${backend ?? 'no server (500)'} by ${protocol}`,
    pathPrefix && `below ${pathPrefix}`,
    requestHeaders.length > 0 && `showing ${requestHeaders.join(' ')}`,
    responseHeaders.length > 0 && `taking ${responseHeaders.join(' ')}`,
    maxBodyBytes !== undefined && `with up to ${maxBodyBytes} bytes of body`,
  ]
    .filter(Boolean)
    .join(' ');

const corsText = ({ origins, methods, requestHeaders, exposedHeaders, credentials, maxAgeSeconds }: ir.Cors): string =>
  [
    `cors from ${origins.map(({ kind, value }) => (kind === 'regex' ? `~${value}` : value)).join(' ')}`,
    `methods ${methods.join(' ')}`,
    requestHeaders.length > 0 && `headers ${requestHeaders.join(' ')}`,
    exposedHeaders.length > 0 && `exposes ${exposedHeaders.join(' ')}`,
    credentials && 'with credentials',
    `for ${maxAgeSeconds} s`,
  ]
    .filter(Boolean)
    .join(', ');

const changesText = ({ set, add, remove }: ir.HeaderChanges): string =>
  [
    ...set.map(({ name, value }) => `${name}=${value}`),
    ...add.map(({ name, value }) => `${name}+=${value}`),
    ...remove.map((name) => `-${name}`),
  ].join(' ');
