import type { KubeConfig } from '@kubernetes/client-node';
import type { KubernetesObject } from '../gateway-api/index.ts';
import { checkedEvent, malformed, readBody, statusBody, type WatchEvent } from './answers.ts';
import { jsonLines } from './json-lines.ts';
import { KubeError } from './kube-error.ts';
import {
  type CallOptions,
  type DeleteOptions,
  type ListOptions,
  type ListPage,
  type ObjectRef,
  type ResourceType,
  resourcePath,
  type StatusPatch,
  silenceMs,
  type WatchOptions,
} from './requests.ts';
import type { Answer } from './transport/answer.ts';
import type { Http2Timing } from './transport/http2-connection.ts';
import { Transport, type TransportRequest } from './transport/transport.ts';

export interface KubeClientOptions {
  /** Said to the API server in every request. */
  readonly userAgent?: string;
  /** Owner of the fields that `apply` and the patches write. */
  readonly fieldManager?: string;
  /**
   * Asked before every request that could change something: its signal ends the request when it aborts, and one that is
   * aborted already rejects it. For clients of those who may write at some times only.
   */
  readonly mayWrite?: () => AbortSignal;
  readonly http2?: Partial<Http2Timing>;
}

/** A request that no method of the client is made for. */
export type KubeRequest = Omit<TransportRequest, 'timeoutMs' | 'signal'>;

const defaultTimeoutMs = 30_000;

/**
 * Reads and writes objects of any type on the Kubernetes REST API. Every failure is a KubeError. Nothing is retried here, and nothing
 * limits how many requests are under way: callers do both.
 */
export class KubeClient {
  readonly #transport: Transport;
  readonly #fieldManager: string;
  readonly #mayWrite: (() => AbortSignal) | undefined;
  /** Of a caller's signal and the permit that it last wrote with: made for each write, they would leave traces on both. */
  readonly #joined = new WeakMap<AbortSignal, { readonly permit: AbortSignal; readonly signal: AbortSignal }>();

  constructor(kubeConfig: KubeConfig, options: KubeClientOptions = {}) {
    this.#transport = new Transport(kubeConfig, options.userAgent ?? 'gatewright', options.http2);
    this.#fieldManager = options.fieldManager ?? 'gatewright';
    this.#mayWrite = options.mayWrite;
  }

  /** URL of the API server. */
  get server(): string {
    return this.#transport.server;
  }

  get<T extends object = KubernetesObject>(type: ResourceType, ref: ObjectRef, options: CallOptions = {}): Promise<T> {
    return this.json<T>({ method: 'GET', path: resourcePath(type, ref.namespace, ref.name) }, options);
  }

  /** As `get`, but undefined when there is no such object. */
  async find<T extends object = KubernetesObject>(
    type: ResourceType,
    ref: ObjectRef,
    options: CallOptions = {},
  ): Promise<T | undefined> {
    try {
      return await this.get<T>(type, ref, options);
    } catch (error) {
      if (error instanceof KubeError && error.code === 'not-found') return undefined;
      throw error;
    }
  }

  /** All objects, page by page. */
  async list<T extends object = KubernetesObject>(type: ResourceType, options: ListOptions = {}): Promise<T[]> {
    const items: T[] = [];
    let next = '';
    do {
      const page = await this.listPage<T>(type, { limit: 500, ...options, continue: next });
      items.push(...page.items);
      next = page.continue;
    } while (next !== '');
    return items;
  }

  async listPage<T extends object = KubernetesObject>(
    type: ResourceType,
    options: ListOptions = {},
  ): Promise<ListPage<T>> {
    const query = {
      limit: options.limit,
      continue: options.continue || undefined,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
    };
    const path = resourcePath(type, options.namespace);
    const body = await this.json<RawList<T>>({ method: 'GET', path, query }, options);
    return {
      items: body.items ?? [],
      resourceVersion: body.metadata?.resourceVersion ?? '',
      continue: body.metadata?.continue ?? '',
    };
  }

  create<T extends KubernetesObject = KubernetesObject>(
    type: ResourceType,
    object: KubernetesObject,
    options: CallOptions = {},
  ): Promise<T> {
    const path = resourcePath(type, object.metadata.namespace);
    return this.json<T>({ method: 'POST', path, query: this.#manager(), body: JSON.stringify(object) }, options);
  }

  /** Writes the whole object; its `metadata.resourceVersion`, when given, must still be current. */
  replace<T extends KubernetesObject = KubernetesObject>(
    type: ResourceType,
    object: KubernetesObject,
    options: CallOptions = {},
  ): Promise<T> {
    const path = resourcePath(type, object.metadata.namespace, object.metadata.name);
    return this.json<T>({ method: 'PUT', path, query: this.#manager(), body: JSON.stringify(object) }, options);
  }

  /** Server-side apply: sets the given fields and owns them, by force unless `force` is false. */
  apply<T extends KubernetesObject = KubernetesObject>(
    type: ResourceType,
    object: KubernetesObject,
    options: CallOptions & { readonly fieldManager?: string; readonly force?: boolean } = {},
  ): Promise<T> {
    const path = resourcePath(type, object.metadata.namespace, object.metadata.name);
    const query = { fieldManager: options.fieldManager ?? this.#fieldManager, force: options.force ?? true };
    return this.json<T>(
      { method: 'PATCH', path, query, body: JSON.stringify(object), contentType: 'application/apply-patch+yaml' },
      options,
    );
  }

  /** JSON merge patch (RFC 7386) of the object. */
  patch<T extends object = KubernetesObject>(
    type: ResourceType,
    ref: ObjectRef,
    body: object,
    options: CallOptions = {},
  ): Promise<T> {
    return this.#merge(resourcePath(type, ref.namespace, ref.name), body, options);
  }

  /** JSON merge patch of the `status` subresource. Lists are replaced whole, so give the resourceVersion the list was made from. */
  patchStatus<T extends object = KubernetesObject>(
    type: ResourceType,
    ref: ObjectRef,
    patch: StatusPatch,
    options: CallOptions = {},
  ): Promise<T> {
    const { resourceVersion, status } = patch;
    const body = resourceVersion === undefined ? { status } : { metadata: { resourceVersion }, status };
    return this.#merge(resourcePath(type, ref.namespace, ref.name, 'status'), body, options);
  }

  /** Resolves when the API server took the order; finalizers may keep the object for longer. */
  async delete(type: ResourceType, ref: ObjectRef, options: DeleteOptions = {}): Promise<void> {
    const { uid, resourceVersion, propagationPolicy } = options;
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
      ...(uid === undefined && resourceVersion === undefined ? {} : { preconditions: { uid, resourceVersion } }),
    });
    await this.json({ method: 'DELETE', path: resourcePath(type, ref.namespace, ref.name), body }, options);
  }

  /**
   * Reports each event of one watch. Resolves when the server ended it in good order. Rejects with KubeError: `expired` when the version is
   * too old, said by HTTP status or by an ERROR event; `timeout` when nothing came for `idleMs`; `unreachable` when the connection broke.
   */
  async watch(type: ResourceType, options: WatchOptions, onEvent: (event: WatchEvent) => void): Promise<void> {
    const path = resourcePath(type, options.namespace);
    const query = {
      watch: true,
      allowWatchBookmarks: true,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      resourceVersion: options.resourceVersion,
      timeoutSeconds: options.timeoutSeconds,
    };
    const what = `watch ${this.server}${path}`;
    const { body, isWhole, isWatched } = await this.#send({
      method: 'GET',
      path,
      query,
      signal: options.signal,
      timeoutMs: defaultTimeoutMs,
    });
    const idleMs = isWatched ? silenceMs(options) : options.idleMs;
    const silent = () => {
      body.destroy(new KubeError({ code: 'timeout', message: `${what}: silent for ${idleMs} ms` }));
    };
    let timer = setTimeout(silent, idleMs);
    options.onOpen?.();
    body.on('data', () => {
      clearTimeout(timer);
      timer = setTimeout(silent, idleMs);
    });
    try {
      for await (const event of jsonLines(body)) onEvent(checkedEvent(what, event));
      if (!isWhole()) throw new Error('the connection was lost');
    } catch (caught) {
      throw caught instanceof SyntaxError ? malformed(what, caught) : KubeError.from(what, caught);
    } finally {
      clearTimeout(timer);
      body.destroy();
    }
  }

  /** The API server's version, such as `v1.36.3`. A cheap way to see that it is there and takes our credentials. */
  async version(options: CallOptions = {}): Promise<string> {
    const body = await this.json<{ gitVersion?: string }>({ method: 'GET', path: '/version' }, options);
    return body.gitVersion ?? 'unknown';
  }

  /** Any other request whose answer is a JSON object, such as a TokenReview. */
  async json<T extends object = object>(request: KubeRequest, options: CallOptions = {}): Promise<T> {
    return (await this.answer<T>(request, options)).body;
  }

  /** As `json`, with the status, which distinguishes 200 from 201. */
  async answer<T extends object = object>(
    request: KubeRequest,
    options: CallOptions = {},
  ): Promise<{ readonly status: number; readonly body: T }> {
    const timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    const what = `${request.method} ${this.server}${request.path}`;
    const signal = request.method === 'GET' ? options.signal : this.#writeSignal(what, options.signal);
    const answer = await this.#send({ ...request, signal, timeoutMs });
    const text = await readBody(what, answer, timeoutMs);
    try {
      return { status: answer.status, body: JSON.parse(text) as T };
    } catch (cause) {
      throw malformed(what, cause);
    }
  }

  /** Closes idle connections. */
  close(): void {
    this.#transport.close();
  }

  #merge<T extends object>(path: string, body: object, options: CallOptions): Promise<T> {
    const contentType = 'application/merge-patch+json';
    return this.json<T>(
      { method: 'PATCH', path, query: this.#manager(), body: JSON.stringify(body), contentType },
      options,
    );
  }

  #writeSignal(what: string, own: AbortSignal | undefined): AbortSignal | undefined {
    const permit = this.#mayWrite?.();
    if (permit?.aborted)
      throw new KubeError({ code: 'aborted', message: `${what}: not allowed to write at this time` });
    return own && permit ? this.#either(own, permit) : (permit ?? own);
  }

  #either(own: AbortSignal, permit: AbortSignal): AbortSignal {
    const known = this.#joined.get(own);
    if (known?.permit === permit) return known.signal;
    const signal = AbortSignal.any([own, permit]);
    this.#joined.set(own, { permit, signal });
    return signal;
  }

  #manager(): { fieldManager: string } {
    return { fieldManager: this.#fieldManager };
  }

  async #send(request: TransportRequest): Promise<Answer> {
    const answer = await this.#transport.send(request);
    const { status, headers } = answer;
    if (status >= 200 && status < 300) return answer;
    const what = `${request.method} ${this.server}${request.path}`;
    const text = await readBody(what, answer, request.timeoutMs);
    const retryAfter = headers['retry-after'];
    throw KubeError.fromStatus(
      what,
      status,
      statusBody(text),
      retryAfter === undefined ? undefined : String(retryAfter),
    );
  }
}

interface RawList<T> {
  readonly items?: readonly T[] | null;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}
