import { createHash } from 'node:crypto';
import { fetchedKeysOf } from '../../controllers/index.ts';
import { AddressRules, type HostRules, hostFault } from '../../egress/index.ts';
import { keyOf, kinds, type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import { isKeysName, loginKey, type RemoteKeys } from '../../key-sets/index.ts';
import {
  clusterKeeper,
  clusterLoginKey,
  type FetchResult,
  FileKeeper,
  fetchKeys,
  fileLoginKey,
  KeyFetcher,
  type KeysKeeper,
  LoginKeys,
} from '../../keys/index.ts';
import { AddressGuard, type TlsOptions } from '../../outgoing/index.ts';
import type { ResourceEvent, SourceListener } from '../../sources/index.ts';
import { componentLogger } from '../../telemetry/index.ts';
import type { Core } from './core.ts';
import type { KeysPlace } from './edges.ts';
import { ownAddresses } from './own-addresses.ts';

/** Fetches the keys that policies name, as policies come and go, and has the one that logins need. */
export interface KeysWatch {
  observe(event: ResourceEvent): void;
  /** All that existed at the start is known. */
  built(): void;
  /** This replica leads now. */
  lead(): void;
  /** Without a cluster: what was kept is reported here. */
  follow(listener: Pick<SourceListener, 'event'>): void;
  stop(): void;
}

const nothing: KeysWatch = { observe() {}, built() {}, lead() {}, follow() {}, stop() {} };

/** The namespace of ConfigMaps where there is no cluster. Default of Scope.own. */
const standaloneNamespace = 'gatewright-system';

export function buildKeys(core: Core, place: KeysPlace | undefined): KeysWatch {
  if (!place) return nothing;
  const { graph, clock, leadership, metrics } = core;
  let listener: Pick<SourceListener, 'event'> | undefined;
  const file =
    'file' in place
      ? new FileKeeper({
          path: place.file,
          onChange: (object, isKept) =>
            listener?.event({ type: isKept ? 'modified' : 'deleted', kind: kinds.ConfigMap, object }),
        })
      : undefined;
  const namespace = 'file' in place ? standaloneNamespace : place.namespace;
  const fetcher = new KeyFetcher({
    namespace,
    find: (name) => graph.find('ConfigMap', objectKey(namespace, name)),
    names: () => keptNames(graph.list('ConfigMap'), namespace),
    fetch: fetching(core, place),
    trust: ({ authorities }) => digestOf(trustOf(core, authorities)?.caCertificate),
    keeper: file ?? keeperOf(place),
    isLeader: () => leadership().isLeader,
    clock,
    now: () => new Date(),
    onResult: (result) => report(core, result),
  });
  metrics.keys.ageIs(() => fetcher.oldestAge());
  const logins = new LoginKeys({
    store: 'file' in place ? fileLoginKey(place.loginKey, namespace) : clusterLoginKey(place.client, namespace),
    isLeader: () => leadership().isLeader,
    clock,
    onKey: (object) => listener?.event({ type: 'modified', kind: kinds.Secret, object }),
    onFault: (err) =>
      componentLogger(core.logger, 'keys').warn({ err }, 'the key of all logins is not available; trying again'),
  });
  return {
    observe(event) {
      observe(fetcher, event, graph.hosts);
      observeLogins(logins, event, namespace);
    },
    built() {
      fetcher.start();
      logins.start();
    },
    lead() {
      fetcher.lead();
      logins.look();
    },
    follow(to) {
      listener = to;
      file?.load();
      logins.load();
    },
    stop() {
      fetcher.stop();
      logins.stop();
    },
  };
}

function keptNames(all: Iterable<ObjectByKind['ConfigMap']>, namespace: string): string[] {
  const names: string[] = [];
  for (const { metadata } of all)
    if (metadata.namespace === namespace && isKeysName(metadata.name)) names.push(metadata.name);
  return names;
}

function keeperOf(place: KeysPlace): KeysKeeper {
  if ('file' in place) throw new Error('a file has a keeper of its own');
  return clusterKeeper(place.client, place.namespace);
}

function observe(fetcher: KeyFetcher, { type, kind, object }: ResourceEvent, hosts: HostRules): void {
  if (kind.name === 'AccessPolicy') {
    const policy = object as ObjectByKind['AccessPolicy'];
    fetcher.want(keyOf(policy), type === 'deleted' ? [] : askedBy(policy, hosts));
  }
  const isAuthority = kind.name === 'ConfigMap' && !isKeysName(object.metadata.name);
  const key = isAuthority ? keyOf(object) : kind.name === 'ClusterTrustBundle' ? `${bundlePrefix}${keyOf(object)}` : '';
  if (key !== '') fetcher.retry(({ authorities }) => authorities.includes(key));
}

function observeLogins(logins: LoginKeys, { type, kind, object }: ResourceEvent, namespace: string): void {
  if (kind.name === 'AccessPolicy') {
    const { spec } = object as ObjectByKind['AccessPolicy'];
    logins.want(keyOf(object), type !== 'deleted' && spec.oidc !== undefined);
  }
  const isKey = kind.name === 'Secret' && keyOf(object) === objectKey(namespace, loginKey.name);
  if (isKey && type === 'deleted') logins.look();
}

/** What a policy may have fetched: a server that its namespace may not name is not asked, and the policy says so. */
const askedBy = (policy: ObjectByKind['AccessPolicy'], hosts: HostRules): RemoteKeys[] =>
  fetchedKeysOf(policy).filter(({ place }) => {
    if (place.kind === 'service') return true;
    const text = place.kind === 'url' ? place.url : place.issuer;
    if (!URL.canParse(text)) return false;
    const { protocol, hostname } = new URL(text);
    return protocol === 'https:' && hostFault(hostname, policy.metadata.namespace ?? '', hosts) === undefined;
  });

function report({ metrics, logger }: Core, { keys, place, fault, isNews, unkept }: FetchResult): void {
  const log = componentLogger(logger, 'keys');
  metrics.keys.fetched(fault?.outcome ?? 'success');
  if (unkept !== undefined) log.warn({ keys, place, err: unkept }, 'fetched keys cannot be kept; trying again');
  else if (fault) log[isNews ? 'warn' : 'debug']({ keys, place }, `keys cannot be fetched: ${fault.message}`);
  else log[isNews ? 'info' : 'debug']({ keys, place }, 'keys fetched');
}

/** How a set is fetched, by what is known now. Undefined: by nothing. */
function fetching(core: Core, place: KeysPlace) {
  const { graph, config } = core;
  const own = () => ownAddresses(core, 'file' in place ? [] : place.ownHosts);
  const rules = new AddressRules({ allowed: config.backends.allowedAddresses, own });
  const urls = new AddressGuard({ allowLoopback: false, rules });
  // Endpoints of a file may be on this machine. Those of a cluster cannot: its API server takes none.
  const services = new AddressGuard({ allowLoopback: 'file' in place, rules });
  return ({ place: from, authorities }: RemoteKeys, signal: AbortSignal) => {
    const { hosts } = graph;
    if (from.kind !== 'service') {
      const tls = trustOf(core, authorities);
      if (!tls) return undefined;
      const client = { guard: urls, hosts, tls, signal };
      const server = from.kind === 'url' ? { kind: 'keys' as const, url: new URL(from.url) } : from;
      return fetchKeys(server, client);
    }
    const found = endpointOf(core, from.backend);
    if (!found) return undefined;
    const { address, port, tls } = found;
    const host = address.includes(':') ? `[${address}]` : address;
    const url = new URL(`${tls ? 'https' : 'http'}://${host}:${port}${from.path}`);
    return fetchKeys({ kind: 'keys', url }, { guard: services, hosts, tls, host: from.host, signal });
  };
}

/** As authorityKey begins for what is in no namespace. */
const bundlePrefix = 'ClusterTrustBundle ';

/** Undefined: an authority is not there, and the policy says so. */
function trustOf({ graph }: Core, authorities: readonly string[]): TlsOptions | undefined {
  const texts = authorities.map((key) =>
    key.startsWith(bundlePrefix)
      ? graph.find('ClusterTrustBundle', key.slice(bundlePrefix.length))?.spec.trustBundle
      : graph.find('ConfigMap', key)?.data?.['ca.crt'],
  );
  const found = texts.filter((text) => typeof text === 'string' && text !== '');
  if (authorities.length > 0 && found.length === 0) return undefined;
  return found.length === 0 ? {} : { caCertificate: found.join('\n') };
}

/** Short, since it is kept with every set of keys. */
const digestOf = (text: string | undefined): string =>
  text === undefined ? '' : createHash('sha256').update(text).digest('base64url');

/** One of the endpoints of a backend that is in use. */
function endpointOf({ graph }: Core, key: string) {
  const snapshot = graph.snapshot();
  const backend = snapshot?.backends.get(key);
  const ready = snapshot?.endpoints.get(key)?.endpoints.filter(({ health }) => health === 'ready') ?? [];
  const endpoint = ready[Math.floor(Math.random() * ready.length)];
  if (!backend || !endpoint) return undefined;
  const { tls } = backend;
  const trust: TlsOptions | undefined = tls && {
    serverName: tls.serverName,
    names: tls.names.flatMap(({ kind, value }) => (kind === 'dns' ? value : [])),
    ...(tls.authorities !== undefined && { caCertificate: tls.authorities }),
  };
  return { address: endpoint.address, port: endpoint.port, tls: trust };
}
