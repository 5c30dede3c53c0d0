import { createHash } from 'node:crypto';
import { keyOf, type ObjectByKind, objectKey } from '../../gateway-api/index.ts';
import { forbiddenHost, resolveValidation } from '../../graph/backends/index.ts';
import type { StoredObjects } from '../../graph/engine/index.ts';
import { backendKey, type ConditionFault, combineFaults } from '../../graph/model/index.ts';
import * as ir from '../../ir/index.ts';
import { parseDurationMs } from '../../std/index.ts';
import { targetOfPool } from '../pools/index.ts';

export type AiServiceObject = ObjectByKind['AIService'];

const defaultPort = 443;
const defaultPath = '/v1';
const defaultTimeoutMs = 60_000;
/** Servers of models that close idle connections soonest of those we know (uvicorn, Node) do so after 5 s. */
const defaultConnectionIdleMs = 4000;
/** For each of two tries, so that an unreachable service delays its fallback no longer than any other backend would. */
const connectMs = 2500;

/**
 * Key of the ir.Backend of a service. What is done to requests for it, and where they go, is in the key: a service that is changed is another backend, so that
 * answers which have begun go on as they were, and no request is sent to one provider in another's words, or with its key.
 */
export function keyOfAiService(object: AiServiceObject, store: StoredObjects): string {
  const { metadata, spec } = object;
  const { hostname = '', path = defaultPath, tls } = spec.endpoint ?? {};
  const { header = '', prefix = '' } = spec.auth ?? {};
  const models = spec.models.map(({ name, match = '', as = '' }) => [name, match, as]);
  const pool = spec.pool ? [spec.pool.name, poolTarget(object, store)?.key ?? ''] : [];
  const done = [
    schemaOf(object),
    hostname,
    path,
    tls?.mode ?? '',
    header,
    prefix,
    models,
    streamIdleMs(object),
    ...pool,
  ];
  const digest = createHash('sha256').update(JSON.stringify(done)).digest('hex').slice(0, 8);
  return `${backendKey(metadata.namespace ?? '', metadata.name, portOf(object), { source: 'ai' })}/~${digest}`;
}

/** Of a pool any stands for those of its servers. */
const portOf = ({ spec: { endpoint } }: AiServiceObject): number => (endpoint ? (endpoint.port ?? defaultPort) : 0);

/** How a service is spoken to. */
const schemaOf = ({ spec: { schema, provider } }: AiServiceObject): ir.AiSchema =>
  (schema ?? (provider === 'anthropic' ? 'Anthropic' : 'OpenAI')) === 'Anthropic' ? 'anthropic' : 'openai';

export const firstTokenMs = ({ spec }: AiServiceObject): number =>
  parseDurationMs(spec.timeouts?.firstToken ?? '') ?? defaultTimeoutMs;

const streamIdleMs = ({ spec }: AiServiceObject): number =>
  parseDurationMs(spec.timeouts?.streamIdle ?? '') ?? defaultTimeoutMs;

/**
 * Connections are closed before the service closes them. A request sent on a connection that the service is closing is lost. It must not be
 * sent again: the service may have read it already, and counts it.
 */
function connections({ spec }: AiServiceObject): ir.BackendTuning {
  const idleMs = parseDurationMs(spec.timeouts?.connectionIdle ?? '') ?? defaultConnectionIdleMs;
  return idleMs === 0
    ? { timeouts: { connectMs }, limits: { requestsPerConnection: 1 } }
    : { timeouts: { connectMs, idleMs } };
}

/** What a service comes to now. A service with a fault must not be called. */
export interface ResolvedAiService {
  readonly tls?: ir.BackendTls;
  readonly credential?: ir.AiCredential;
  /** Key of the ir.Backend of its pool. */
  readonly pool?: string;
  readonly acceptFault?: ConditionFault;
  readonly referenceFault?: ConditionFault;
}

export function resolveAiReferences(object: AiServiceObject, store: StoredObjects): ResolvedAiService {
  const { endpoint } = object.spec;
  if (!endpoint) return resolvePool(object, store);
  const tls = tlsOf(object, endpoint, store);
  const host = forbiddenHost(object, { field: 'endpoint.hostname', host: endpoint.hostname }, store);
  const acceptFault = host ?? tls.acceptFault;
  const credential = credentialOf(object, store);
  const referenceFault = combineFaults(
    [tls.referenceFault, 'fault' in credential ? credential.fault : undefined].flatMap((fault) => fault ?? []),
  );
  return {
    ...(tls.tls && { tls: tls.tls }),
    ...('credential' in credential && credential.credential && { credential: credential.credential }),
    ...(acceptFault && { acceptFault }),
    ...(referenceFault && { referenceFault }),
  };
}

/** Its servers are within the cluster, and reached as the pool says: no credential, and no certificate, is for them. */
function resolvePool(object: AiServiceObject, store: StoredObjects): ResolvedAiService {
  const target = poolTarget(object, store);
  if (target) return { pool: target.key };
  const key = poolKeyOf(object);
  return {
    referenceFault: {
      reason: 'BackendNotFound',
      message: `InferencePool ${key} does not exist: create it, or name another in pool`,
    },
  };
}

/** `NAMESPACE/NAME` of the InferencePool that a service is. */
const poolKeyOf = ({ metadata, spec }: AiServiceObject): string | undefined =>
  spec.pool && objectKey(metadata.namespace ?? '', spec.pool.name);

/** Undefined: it is none, or there is none. */
function poolTarget(object: AiServiceObject, store: StoredObjects): ReturnType<typeof targetOfPool> | undefined {
  const pool = store.find('InferencePool', poolKeyOf(object) ?? '');
  return pool && targetOfPool(pool);
}

/** The ir.Backends that requests to a service pass. */
export function usesOfAiService(object: AiServiceObject, store: StoredObjects): readonly string[] {
  const target = poolTarget(object, store);
  return [keyOfAiService(object, store), ...(target ? [target.key, ...target.uses] : [])];
}

/** Whether requests may be sent to it: without its credential or its authorities they may not. */
export const canServe = ({ acceptFault, referenceFault }: ResolvedAiService): boolean =>
  !acceptFault && !referenceFault;

type Endpoint = NonNullable<AiServiceObject['spec']['endpoint']>;

function tlsOf({ metadata }: AiServiceObject, endpoint: Endpoint, store: StoredObjects) {
  if (endpoint.tls?.mode === 'None') return {};
  const refs = (endpoint.tls?.caCertificateRefs ?? []).map(({ name }) => ({ group: '', kind: 'ConfigMap', name }));
  const validation = {
    hostname: endpoint.hostname,
    ...(refs.length > 0 ? { caCertificateRefs: refs } : { wellKnownCACertificates: 'System' as const }),
  };
  return resolveValidation(validation, { kind: 'AIService', namespace: metadata.namespace ?? '' }, store);
}

/** Characters that no header may have, or the credential could bring others along. */
const unfit = /[^\t\x20-\x7e]/;

function credentialOf(
  object: AiServiceObject,
  store: StoredObjects,
): { readonly credential?: ir.AiCredential } | { readonly fault: ConditionFault } {
  const { auth } = object.spec;
  if (!auth) return {};
  const { name, key = 'apiKey' } = auth.secretRef;
  const where = `Secret ${object.metadata.namespace}/${name}`;
  const fault = (message: string) => ({ fault: { reason: 'InvalidCredentialRef', message } });
  const secret = store.find('Secret', `${object.metadata.namespace}/${name}`);
  if (!secret) return fault(`${where} does not exist: create it with the provider's key in ${key}`);
  const value = Buffer.from(secret.data?.[key] ?? '', 'base64')
    .toString()
    .trim();
  if (value === '') return fault(`${where} has nothing in ${key}: put the provider's key there`);
  if (unfit.test(value)) return fault(`${key} of ${where} has characters that no header may have`);
  const header = auth.header ?? (schemaOf(object) === 'anthropic' ? 'x-api-key' : 'authorization');
  return {
    credential: {
      header,
      prefix: auth.prefix ?? (header === 'authorization' ? 'Bearer ' : ''),
      value: new ir.Sensitive(Buffer.from(value)),
      version: createHash('sha256').update(value).digest('hex'),
    },
  };
}

/** The ir.Backend of a service: where it is, and what is done to requests on their way. */
export function aiServiceBackend(key: string, object: AiServiceObject, store: StoredObjects): ir.Backend | undefined {
  const resolved = resolveAiReferences(object, store);
  if (!canServe(resolved) || keyOfAiService(object, store) !== key) return undefined;
  const { metadata, spec } = object;
  const { endpoint } = spec;
  const { allowed } = store.hosts.addresses;
  return {
    key,
    kind: 'AIService',
    namespace: metadata.namespace ?? '',
    service: metadata.name,
    port: portOf(object),
    protocol: 'http1',
    ...(endpoint && { hostname: endpoint.hostname, tuning: connections(object) }),
    ...(endpoint && allowed.length > 0 && { allowedAddresses: allowed }),
    ...(resolved.tls && { tls: resolved.tls }),
    ai: {
      kind: 'service',
      key: keyOf(object),
      schema: schemaOf(object),
      ...(endpoint && { hostname: endpoint.hostname }),
      ...(resolved.pool !== undefined && { pool: resolved.pool }),
      path: endpoint?.path ?? defaultPath,
      models: spec.models.map(({ name, match, as }) => ({
        name,
        match: match === 'Prefix' ? 'prefix' : 'exact',
        ...(as !== undefined && { as }),
      })),
      ...(resolved.credential && { credential: resolved.credential }),
      streamIdleMs: streamIdleMs(object),
    },
  };
}
