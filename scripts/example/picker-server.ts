import { createSecureServer, createServer, type Http2ServerResponse, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { ProcessingRequest } from '../../src/envoy/index.ts';
import { framed } from './grpc-echo.ts';
import { headerOf, headersOf, type ProcessorReply, processStream, sendReply } from './processor-server.ts';

/** A request that a model server is picked for. */
export interface PickRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * What a picker does: names an endpoint or several (`IP:PORT`, by commas), answers by itself, says nothing, says what is no answer, ends the stream, or
 * ends its connection.
 */
export type Pick =
  | {
      readonly endpoint: string;
      readonly by?: 'header' | 'metadata';
      /** What else it sets. */
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly status: number; readonly body?: string; readonly headers?: Readonly<Record<string, string>> }
  | 'silence'
  | 'garbage'
  | 'end'
  | 'death';

export interface PickerOptions {
  /** `ended` is aborted when the stream about the request ends, as where the proxy gives it up. */
  readonly pick: (request: PickRequest, ended: AbortSignal) => Pick | Promise<Pick>;
  /** What it does when it hears the headers of a request or of an answer; undefined: what it should. */
  readonly early?: (when: 'request' | 'answer') => 'end' | 'death' | 'silence' | undefined;
  /** `message`: as pickers that take a body in one message, and answer it in one. */
  readonly style?: () => 'fullDuplex' | 'message';
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly address?: string;
  readonly port?: number;
}

export interface PickerServer {
  readonly port: number;
  /** All that it was asked. */
  readonly asked: readonly PickRequest[];
  /** By the endpoints that have served, as Envoy says. */
  readonly served: readonly string[];
  /** Connections that ended. */
  readonly lost: number;
  /** Ends all connections, and takes none any more. */
  readonly die: () => Promise<void>;
}

const destination = 'x-gateway-destination-endpoint';
const namespace = 'envoy.lb';

/** An endpoint picker: a server of envoy.service.ext_proc.v3.ExternalProcessor that chooses a model server for each request. Source: Endpoint Picker Protocol. */
export async function startPicker(options: PickerOptions): Promise<PickerServer> {
  const { tls, address = '127.0.0.1', port = 0 } = options;
  const asked: PickRequest[] = [];
  const served: string[] = [];
  let lost = 0;
  const sessions = new Set<ServerHttp2Session>();
  const server = tls ? createSecureServer(tls) : createServer();
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.on('error', () => {});
    session.once('close', () => {
      lost += 1;
      sessions.delete(session);
    });
  });
  server.on('request', (request, response: Http2ServerResponse) => {
    const stream = new PickStream(response, options, { asked, served });
    processStream(request, response, (message) => stream.hear(message));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, address, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    served,
    get lost() {
      return lost;
    },
    die: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
      }),
  };
}

/** The messages about one request, which is answered when all of it is there. */
class PickStream {
  readonly #response: Http2ServerResponse;
  readonly #options: PickerOptions;
  readonly #seen: { readonly asked: PickRequest[]; readonly served: string[] };
  readonly #body: Buffer[] = [];
  readonly #ended = new AbortController();
  #headers: Readonly<Record<string, string>> = {};

  constructor(
    response: Http2ServerResponse,
    options: PickerOptions,
    seen: { readonly asked: PickRequest[]; readonly served: string[] },
  ) {
    this.#response = response;
    this.#options = options;
    this.#seen = seen;
    response.stream.once('close', () => this.#ended.abort());
  }

  hear({ request, metadataContext }: ProcessingRequest): void {
    switch (request.case) {
      case 'requestHeaders':
        this.#headers = headersOf(request.value.headers);
        if (this.#breaks('request')) return;
        if (request.value.endOfStream) this.#decide(true);
        return;
      case 'requestBody':
        this.#body.push(Buffer.from(request.value.body));
        if (request.value.endOfStream) this.#decide(false);
        return;
      case 'requestTrailers':
        this.#decide(false);
        this.#say({ response: { case: 'requestTrailers', value: {} } });
        return;
      case 'responseHeaders': {
        if (this.#breaks('answer')) return;
        const found = metadataContext?.filterMetadata[namespace]?.[`${destination}-served`];
        if (typeof found === 'string') this.#seen.served.push(found);
        this.#say({ response: { case: 'responseHeaders', value: { response: setting({ 'x-served': `${found}` }) } } });
        return;
      }
      case 'responseBody':
        this.#say({
          response: { case: 'responseBody', value: { response: { bodyMutation: streamed(request.value) } } },
        });
        return;
      case 'responseTrailers':
        this.#say({ response: { case: 'responseTrailers', value: {} } });
        return;
      default:
    }
  }

  #decide(isBodiless: boolean): void {
    const asked = { headers: this.#headers, body: Buffer.concat(this.#body).toString() };
    this.#seen.asked.push(asked);
    const pick = this.#options.pick(asked, this.#ended.signal);
    if (pick instanceof Promise) void pick.then((decided) => this.#act(decided, isBodiless));
    else this.#act(pick, isBodiless);
  }

  #act(pick: Pick, isBodiless: boolean): void {
    if (pick === 'silence') return;
    if (pick === 'end') this.#response.end();
    else if (pick === 'death') this.#response.stream.session?.destroy();
    else if (pick === 'garbage') this.#response.write(framed(Buffer.from('\xff\xffno message', 'latin1')));
    else if ('status' in pick) this.#answer(pick);
    else this.#choose(pick, isBodiless);
  }

  #answer({ status, body = '', headers = {} }: Extract<Pick, { status: number }>): void {
    const value = {
      status: { code: status },
      body: Buffer.from(body),
      headers: { setHeaders: Object.entries(headers).map(([key, text]) => headerOf(key, text)) },
    };
    this.#say({ response: { case: 'immediateResponse', value } });
  }

  #choose({ endpoint, by, headers }: Extract<Pick, { endpoint: string }>, isBodiless: boolean): void {
    const response = by === 'metadata' ? {} : setting({ [destination]: endpoint, ...headers });
    const metadata = by === 'header' ? undefined : { [namespace]: { [destination]: endpoint } };
    this.#say({
      response: { case: 'requestHeaders', value: { response } },
      ...(metadata && { dynamicMetadata: metadata }),
    });
    if (isBodiless) return;
    const value =
      this.#options.style?.() === 'message'
        ? { response: {} }
        : { response: { bodyMutation: streamed({ body: Buffer.concat(this.#body), endOfStream: true }) } };
    this.#say({ response: { case: 'requestBody', value } });
  }

  #breaks(when: 'request' | 'answer'): boolean {
    const how = this.#options.early?.(when);
    if (how === 'end') this.#response.end();
    if (how === 'death') this.#response.stream.session?.destroy();
    return how !== undefined;
  }

  #say(reply: ProcessorReply): void {
    if (!this.#response.stream.destroyed) sendReply(this.#response, reply);
  }
}

const setting = (headers: Readonly<Record<string, string>>) => ({
  headerMutation: { setHeaders: Object.entries(headers).map(([key, value]) => headerOf(key, value)) },
});

const streamed = ({ body, endOfStream }: { readonly body: Uint8Array; readonly endOfStream: boolean }) => ({
  mutation: { case: 'streamedResponse' as const, value: { body, endOfStream } },
});
