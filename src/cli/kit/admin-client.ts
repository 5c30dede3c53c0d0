import type { AdminAnswer, AdminQuestion, ErrorBody } from '../../admin/index.ts';
import { CliError } from './cli-error.ts';

/** The bearer token of a GET, or of a request that may change something; undefined: none. */
export type Token = (isReading: boolean) => Promise<string | undefined>;

export interface AdminClientOptions {
  /** Of Layout 1, such as `http://127.0.0.1:18081`. */
  readonly server: string;
  readonly token?: string | Token;
  /** How long one answer may take. Default 10,000. */
  readonly timeoutMs?: number;
}

type Init = RequestInit & { readonly headers?: Readonly<Record<string, string>> };

/** Asks Layout 1 of the admin API. Every failure is a CliError that says what to do. */
export class AdminClient {
  readonly #options: AdminClientOptions;

  constructor(options: AdminClientOptions) {
    this.#options = options;
  }

  /** The same on another listener of the control plane, with the same token. */
  at(server: string): AdminClient {
    return new AdminClient({ ...this.#options, server });
  }

  /** `path` begins with a slash and may have a query. The answer is what the API's description says. */
  get<T>(path: string, timeoutMs?: number): Promise<T> {
    return this.#ask<T>(path, { method: 'GET' }, timeoutMs);
  }

  post<T>(path: string, body: unknown, timeoutMs?: number): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    return this.#ask<T>(path, { method: 'POST', body: JSON.stringify(body), headers }, timeoutMs);
  }

  delete<T>(path: string): Promise<T> {
    return this.#ask<T>(path, { method: 'DELETE' });
  }

  /** As an answer what it answers, errors included; rejects with a CliError only when there is none. */
  async ask({ method, path, body }: AdminQuestion, until: AbortSignal): Promise<AdminAnswer> {
    const isYaml = typeof body === 'string';
    const response = await this.#fetch(path, {
      method,
      signal: AbortSignal.any([AbortSignal.timeout(this.#timeoutMs), until]),
      ...(body !== undefined && {
        body: isYaml ? body : JSON.stringify(body),
        headers: { 'content-type': isYaml ? 'application/yaml' : 'application/json' },
      }),
    });
    const total = response.headers.get('x-total-count');
    const answer = this.#parsed<unknown>(path, await this.#textOf(response));
    return { status: response.status, body: answer, ...(total !== null && { total: Number(total) }) };
  }

  /** An answer that is no JSON. */
  async text(path: string): Promise<string> {
    const response = await this.#fetch(path, { signal: AbortSignal.timeout(this.#timeoutMs) });
    const text = await this.#textOf(response);
    if (!response.ok) throw new CliError(faultOf(response.status, text, path));
    return text;
  }

  /** An answer without an end. The signal ends it. */
  async stream(
    path: string,
    { headers, signal }: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const response = await this.#fetch(path, { headers, signal });
    if (response.ok && response.body !== null) return response.body;
    throw new CliError(faultOf(response.status, await this.#textOf(response), path));
  }

  async #ask<T>(path: string, init: Init, timeoutMs = this.#timeoutMs): Promise<T> {
    const response = await this.#fetch(path, { ...init, signal: AbortSignal.timeout(timeoutMs) });
    const text = await this.#textOf(response);
    if (!response.ok) throw new CliError(faultOf(response.status, text, path));
    return this.#parsed<T>(path, text);
  }

  #parsed<T>(path: string, text: string): T {
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new CliError(`${this.#options.server} is not a Gatewright admin API: ${path} did not answer JSON`);
    }
  }

  /** The signal of the request ends this, too: a body that stalls is no answer. */
  #textOf(response: Response): Promise<string> {
    return response.text().catch((error: unknown) => {
      throw this.#unreachable(error);
    });
  }

  async #fetch(path: string, init: Init): Promise<Response> {
    const { server } = this.#options;
    const token = await this.#tokenFor(init.method ?? 'GET');
    const headers = { ...init.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    const send = () => fetch(new URL(path, server), { ...init, headers });
    try {
      return await send().catch((error: unknown) => {
        if (!isLostReading(error, init)) throw error;
        return send();
      });
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  async #tokenFor(method: string): Promise<string | undefined> {
    const { token } = this.#options;
    return typeof token === 'function' ? await token(method === 'GET') : token;
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? 10_000;
  }

  #unreachable(cause: unknown): CliError {
    const { server } = this.#options;
    return new CliError(`cannot reach the admin API at ${server}: ${whyOf(cause)}; ${advice}`, { cause });
  }
}

const advice = 'is the control plane running? Say where with --server, or --kubeconfig for one in a cluster';

/**
 * Whether a server may have closed a connection that it kept just when the next request came on it, and asking again changes nothing. Source: RFC 9112,
 * section 9.3.1, which allows one such repetition.
 */
const isLostReading = (error: unknown, { method = 'GET' }: Init): boolean =>
  method === 'GET' && ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(codeOf(error));

const codeOf = (error: unknown): string => (error as { readonly cause?: { readonly code?: string } }).cause?.code ?? '';

function whyOf(error: unknown): string {
  const { cause, name, message } = error as Error & { cause?: { readonly code?: string; readonly message?: string } };
  if (name === 'TimeoutError') return 'no answer in time';
  return cause?.code ?? cause?.message ?? message;
}

function faultOf(status: number, text: string, path: string): string {
  const {
    code,
    message,
    details = [],
  } = errorIn(text) ?? { code: String(status), message: `${path} was answered ${status}` };
  const more = details.map((detail) => `\n  ${detail.path}: ${detail.message}`).join('');
  return `${message} (${code}${hintOf(status, code)})${more}`;
}

function hintOf(status: number, code: string): string {
  const how = '--token-file or GATEWRIGHT_TOKEN';
  if (status === 401) return `; give the token with ${how}`;
  return code === 'token_read_only' ? `; give the full token, \`token\` of its Secret, with ${how}` : '';
}

function errorIn(text: string): ErrorBody['error'] | undefined {
  try {
    return (JSON.parse(text) as Partial<ErrorBody>).error;
  } catch {
    return undefined;
  }
}
