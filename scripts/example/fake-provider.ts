import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { IssuedCertificate } from './certificate.ts';
import { type OtherOperation, otherOperations, type Used } from './other-operations.ts';

/** One request as a provider saw it. */
export interface LedgerEntry {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
  readonly status: number;
  /** Undefined: no usage was reported. */
  readonly used: Used | undefined;
}

/** How one request is answered, beside what was used. */
export interface Behaviour {
  /** The others answer as if nothing had been said. */
  readonly only?: Schema;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the answer says. */
  readonly text?: string;
  /** Milliseconds between the pieces of an answer. */
  readonly pause?: number;
  /** Which usage is reported: `usage-with-choices` reports it where clients do not expect it. */
  readonly reports?: 'usage' | 'nothing' | 'usage-with-choices';
  /** `hang`: no answer; `cut`: the connection ends in the middle; `garbage`: no event is whole; `silent`: an answer begins and goes no further. */
  readonly trouble?: 'hang' | 'cut' | 'garbage' | 'silent';
  readonly used?: Partial<Used>;
  /** Replaces the usage object as it stands. */
  readonly rawUsage?: unknown;
}

export interface FakeProviderOptions {
  readonly port?: number;
  /** 127.0.0.1 by default. */
  readonly address?: string;
  /** How each request is answered, by how many came before. */
  readonly script?: (request: number) => Behaviour | undefined;
  /** A request on a connection that was idle for longer finds it closed, and is in no ledger. Any time, by default. */
  readonly keepsIdleMs?: number;
  /** It is reached by TLS. */
  readonly certificate?: IssuedCertificate | undefined;
}

export interface FakeProvider {
  readonly port: number;
  readonly ledger: readonly LedgerEntry[];
  /** How many requests found their connection closed. */
  readonly lost: () => number;
  close(): Promise<void>;
}

export type Schema = 'openai' | 'anthropic';

/** What stands in the last message of a conversation: `{"input": 3}` there decides how it is answered. */
function behaviourOf(body: Readonly<Record<string, unknown>>): Behaviour {
  const messages = (body.messages ?? []) as readonly { readonly content?: unknown }[];
  const content = messages.at(-1)?.content ?? body.prompt ?? body.input;
  const text = Array.isArray(content) ? (content[0] as { readonly text?: string })?.text : content;
  if (typeof text !== 'string' || !text.startsWith('{')) return {};
  return JSON.parse(text) as Behaviour;
}

/**
 * A provider of models for tests and examples: answers in the words of OpenAI or Anthropic, in pieces on request, and keeps a ledger of
 * the usage that it reported. If the last message is a Behaviour in JSON, it decides how the answer is, unless `script` does.
 */
export async function startFakeProvider(
  schema: Schema,
  {
    port = 0,
    address = '127.0.0.1',
    script,
    certificate,
    keepsIdleMs = Number.POSITIVE_INFINITY,
  }: FakeProviderOptions = {},
): Promise<FakeProvider> {
  const ledger: LedgerEntry[] = [];
  let requests = 0;
  let lost = 0;
  const idleSince = new WeakMap<Socket, number>();
  const serve: http.RequestListener = (request, response) => {
    const { socket } = request;
    if (performance.now() - (idleSince.get(socket) ?? Number.POSITIVE_INFINITY) > keepsIdleMs) {
      lost += 1;
      socket.destroy();
      return;
    }
    response.once('finish', () => idleSince.set(socket, performance.now()));
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const body = parse(Buffer.concat(chunks).toString());
      const said = script?.(requests) ?? behaviourOf(body);
      const behaviour = said.only === undefined || said.only === schema ? said : {};
      requests += 1;
      const other = otherOperations[request.url ?? ''];
      const used = answer(other ? wireOf(other) : wires[schema], { schema, response, body, behaviour });
      ledger.push({ path: request.url ?? '', headers: request.headers, body, status: behaviour.status ?? 200, used });
    });
  };
  const server = certificate
    ? https.createServer({ cert: certificate.certificatePem, key: certificate.keyPem }, serve)
    : http.createServer(serve);
  // A provider that closes a connection just as a request comes along it has not seen that request, and its ledger lacks it.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    ledger,
    lost: () => lost,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const defaults: Used = { input: 12, output: 7, cached: 0, cacheWrite: 0, reasoning: 0 };

interface Asked {
  readonly schema: Schema;
  readonly response: http.ServerResponse;
  readonly body: Readonly<Record<string, unknown>>;
  readonly behaviour: Behaviour;
}

function answer(wire: Wire, { schema, response, body, behaviour }: Asked): Used | undefined {
  const { status = 200, headers = {}, trouble, text = 'Good day.' } = behaviour;
  if (trouble === 'hang') return undefined;
  if (status !== 200) {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { type: 'fake_provider', message: `the fake provider answers ${status}` } }));
    return undefined;
  }
  const used: Used = { ...defaults, ...behaviour.used };
  const model = `${String(body.model)}-2026`;
  if (body.stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    const whole = JSON.stringify(wire.whole(model, text, used, behaviour));
    if (trouble === 'cut') {
      response.write(whole.slice(0, whole.length / 2), () => response.destroy());
      return undefined;
    }
    response.end(trouble === 'garbage' ? '{"usage": ' : whole);
    return trouble === undefined && behaviour.reports !== 'nothing' ? used : undefined;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
  const asked =
    schema === 'anthropic' ||
    wire.reportsAlways === true ||
    (body.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true;
  const events = wire.pieces(model, text, used, behaviour, asked);
  if (trouble === 'garbage') {
    response.end('data: {"choices": [{"delta"\n\ndata: \u0000\n\nno event at all');
    return undefined;
  }
  if (trouble === 'cut') {
    response.write(events.slice(0, 2).join(''), () => response.destroy());
    return undefined;
  }
  if (trouble === 'silent') {
    response.write(events[0]);
    return undefined;
  }
  void writeAll(response, events, behaviour.pause);
  return asked && behaviour.reports !== 'nothing' ? used : undefined;
}

async function writeAll(response: http.ServerResponse, events: readonly string[], pause = 0): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  for (const event of events) {
    response.write(event);
    if (pause > 0) await setTimeout(pause, undefined, { signal: gone.signal }).catch(() => undefined);
    if (response.destroyed) return;
  }
  response.end();
}

interface Wire {
  /** What was used, of an answer in pieces too. */
  readonly reportsAlways?: boolean;
  whole(model: string, text: string, used: Used, behaviour: Behaviour): object;
  pieces(model: string, text: string, used: Used, behaviour: Behaviour, asked: boolean): string[];
}

const openaiUsage = ({ input, output, cached, reasoning }: Used, { rawUsage, reports }: Behaviour) => {
  if (reports === 'nothing') return {};
  if (rawUsage !== undefined) return { usage: rawUsage };
  return {
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      ...(cached > 0 && { prompt_tokens_details: { cached_tokens: cached } }),
      ...(reasoning > 0 && { completion_tokens_details: { reasoning_tokens: reasoning } }),
    },
  };
};

const openai: Wire = {
  whole: (model, text, used, behaviour) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    ...openaiUsage(used, behaviour),
  }),
  pieces(model, text, used, behaviour, asked) {
    const piece = (choices: readonly object[], more: object = {}) =>
      `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model, choices, ...more })}\n\n`;
    const usage = asked ? openaiUsage(used, behaviour) : {};
    const words = text.split(' ').map((word) => piece([{ index: 0, delta: { content: `${word} ` } }]));
    const withChoices = behaviour.reports === 'usage-with-choices';
    return [
      piece([{ index: 0, delta: { role: 'assistant', content: '' } }]),
      ...words,
      piece([{ index: 0, delta: {}, finish_reason: 'stop' }], withChoices ? usage : {}),
      ...(asked && !withChoices && behaviour.reports !== 'nothing' ? [piece([], usage)] : []),
      'data: [DONE]\n\n',
    ];
  },
};

/** Anthropic counts what was cached beside the input, not in it. */
const anthropicUsage = ({ input, output, cached, cacheWrite }: Used) => ({
  input_tokens: input - cached - cacheWrite,
  output_tokens: output,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: cacheWrite,
});

const anthropic: Wire = {
  whole: (model, text, used, { rawUsage, reports }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    ...(reports !== 'nothing' && { usage: rawUsage ?? anthropicUsage(used) }),
  }),
  pieces(model, text, used, { reports }) {
    const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
    const usage = reports === 'nothing' ? undefined : anthropicUsage({ ...used, output: 1 });
    return [
      event('message_start', {
        message: { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage },
      }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      ...text
        .split(' ')
        .map((word) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: `${word} ` } })),
      event('content_block_stop', { index: 0 }),
      event('message_delta', {
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        ...(usage && { usage: { output_tokens: used.output } }),
      }),
      event('message_stop', {}),
    ];
  },
};

const wires = { openai, anthropic } as const;

const wireOf = (operation: OtherOperation): Wire => ({
  reportsAlways: operation === otherOperations['/v1/responses'],
  whole: (model, text, used) => operation.whole(model, text, used),
  pieces: (model, text, used, _, asked) => [...operation.pieces(model, text, used, asked)],
});
