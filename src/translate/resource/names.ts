import { type ChainRole, chainPrefixes, innerListenerPrefix, slotListsPrefix } from '../../contracts/index.ts';
import {
  type AiRoute,
  type AiStep,
  digestOf,
  formatDigest,
  type ModuleCode,
  type NamedServers,
  type Pool,
  parsePortKey,
} from '../../ir/index.ts';
import { flatten } from '../../std/memory/index.ts';

/**
 * Every name that Envoy sees, made in one place. A name is a contract: it decides what a change touches, it is what
 * NACKs, statistics and logs speak of, and dashboards are built on it.
 */

/** LDS. One for each open port of a gateway; produced by listener.ts, reported by the agent as the listener's name. The IR's key is already such a name. */
export const listenerName = (key: string): string => key;

/** A filter chain. One for each host of a listener of streams; produced by stream-chain.ts, printed in Envoy's logs. */
export const streamChainName = (listener: string, host: string): string => `${listener}|${host}`;

/** ECDS. Where connections of one host of a listener of streams go; produced by stream-chain.ts, named by filter chains. */
export const streamName = (table: string, host: string): string => `${table}|${host}`;

/** ECDS. A filter chain of an HTTP table; produced by filter-chain.ts, named by the table's connection managers. */
export const chainName = (role: ChainRole, table: string): string => `${chainPrefixes[role]}${table}`;

/** ECDS. What routes of an HTTP table may name in one slot; produced by slot-lists.ts, named by the table's filter chain where requests wait. */
export const slotListsName = (slot: string, table: string): string => `${slotListsPrefix}${slot}/${table}`;

/** CDS and EDS. One for each distinct upstream; produced by cluster.ts, named by routes. */
export const clusterName = (backend: string): string => backend;

/**
 * A cluster that never exists: shares of invalid backends go there. HTTP requests get
 * `cluster_not_found_response_code`, connections are closed, datagrams dropped.
 */
export const invalidCluster = 'gatewright/invalid';

/** LDS. Within the proxy: what is done to requests for a provider of models, or for a rule that chooses among them. Produced by ai/, named by clusters of ai/. */
export const aiListenerName = (backend: string): string => `${innerListenerPrefix}${backend}`;

/**
 * LDS. The same for a rule, named for what it does as well: its connections go on as they began while the next one takes its place.
 * Produced by ai/route-listener.ts, named by the rule's cluster.
 */
export const aiRouteListenerName = (backend: string, route: AiRoute): string =>
  `${aiListenerName(backend)}@${formatDigest(digestOf(route)).slice(0, 16)}`;

/** CDS. The services that are asked, one after the other, for some models of a rule, by their backends; produced by ai/ai-resources.ts, named by ai/route-listener.ts. */
export const aiStepsName = (backend: string, steps: readonly AiStep[]): string =>
  [backend, ...steps.map((step) => step.backend)].join('|');

/**
 * LDS. Within the proxy: which servers requests may name. It is named for what it lets through: when that changes, no request goes the old way.
 * Produced by named/, named by the backend's cluster.
 */
export const namedListenerName = (backend: string, named: NamedServers): string =>
  `${innerListenerPrefix}${backend}@${formatDigest(digestOf(named)).slice(0, 16)}`;

/** CDS. The servers that requests have named; produced by named/, named by the listener before it. */
export const namedClusterName = (backend: string): string => `${backend}|named`;

/**
 * LDS. Within the proxy: a step of a pool, named for what it does as well, so that answers that have begun go on as they were. Produced by pools/, named by
 * clusters of pools/.
 */
export const poolListenerName = (backend: string, pool: Pool, step: string): string =>
  `${innerListenerPrefix}${backend}|${step}@${formatDigest(digestOf(pool)).slice(0, 16)}`;

/** CDS. The steps of a pool, one after the other; produced by pools/pool-resources.ts, named by pools/front-listener.ts. */
export const poolStepsName = (backend: string): string => `${backend}|steps`;

/** SDS. What requests to a provider are sent with; produced by ai/service-listener.ts, named by it alone. */
export const aiCredentialName = (backend: string): string => `cred/${backend}`;

/** SDS. What a login is made and checked by; produced by login-secrets.ts with the cluster, named by the cluster and by filters of logins. */
export const loginSecretName = (session: string, secret: 'client' | 'hmac'): string => `oidc/${session}/${secret}`;

/** SDS. What an HTTPFilter puts into a header; produced with the cluster that holds it, named by that and by the slot of such filters. */
export const injectedCredentialName = (backend: string): string => `inject/${backend}`;

/** Of the agent alone. A module, named for what it is as well, so that the one before stays until nothing names its file; produced by modules/. */
export const moduleName = (backend: string, { digest }: Pick<ModuleCode, 'digest'>): string =>
  `${backend}@${digest.slice(0, 16)}`;

/** SDS. A server certificate; produced by secret.ts, named by filter chains. */
export const secretName = (secret: string): string => secret;

/** SDS. Authorities that a backend's certificate is checked by; produced by cluster.ts with the cluster, named by it alone. */
export const backendAuthoritiesName = (backend: string): string => `ca/${backend}`;

/** SDS. What is shown to a backend that says so itself; produced by own-certificate.ts with the cluster, named by it alone. */
export const backendCertificateName = (backend: string): string => `cert/${backend}`;

/** SDS. Authorities that clients' certificates are checked by; produced by listener.ts, named by the filter chain alone. */
export const clientAuthoritiesName = (listener: string, chain: string): string => `clients/${listener}/${chain}`;

/** SRDS. One for each exact host of a route table; produced by scope.ts. */
export const exactScopeName = (table: string, host: string): string => flatten([table, host], '|');

/** SRDS. One for each part of an exact host that is cut up: by how its paths begin, `*` for the rest; produced by host-scopes.ts. */
export const partScopeName = (table: string, host: string, beginning: string): string =>
  `${exactScopeName(table, host)}|${beginning}`;

/** SRDS. The scope of every host of a table that has none of its own; produced by scope.ts. */
export const fallbackScopeName = (table: string): string => `${table}|*`;

/**
 * What requests for an exact host are looked up by: the Host header that clients are expected to send, so with the port
 * where it is not the scheme's own. Any other spelling of it falls through.
 */
export const exactScopeKey = (table: string, host: string): string => `${table}|${host}${expectedPort(table)}`;

/** What requests for an exact host that is cut up are looked up by in the end. `beginning` may be an expression of Envoy's. */
export const partScopeKey = (table: string, host: string, beginning: string): string =>
  `${exactScopeKey(table, host)}|${beginning}`;

/** Beginning of no path, for what no part is for. */
export const restOfHost = '*';

/** A client whose Host is `*` comes straight here, which does it no good: its Host matches no wildcard but `*`. */
export const fallbackScopeKey = (table: string): string => `${table}|*`;

/**
 * SRDS. Name and key of a scope that stands in for another one while it is looked for what Envoy rejects in it; produced by
 * scope.ts on request. No request has the key: all of theirs hold a `|`.
 */
export const probeScope = 'gatewright/probe';

function expectedPort(table: string): string {
  const { protocol, port } = parsePortKey(table);
  const isDefault = (protocol === 'http' && port === 80) || (protocol === 'https' && port === 443);
  return isDefault ? '' : `:${port}`;
}
