import type { ErrorBody } from '../admin/index.ts';
import type { AdminAnswer, AdminQuestion } from '../chatbot/index.ts';
import { CliError } from './cli-error.ts';

export interface AdminClientOptions {
  /** Of Layout 1, such as `http://127.0.0.1:18081`. */
  readonly server: string;
  readonly token?: string;
  /** How long one answer may take. Default 10,000. */
  readonly timeoutMs?: number;
}

/** Asks Layout 1 of the admin API. Every failure is a CliError that says what to do. */
export class AdminClient {
  readonly #options: AdminClientOptions;

  constructor(options: AdminClientOptions) {
    this.#options = options;
  }

  /** `path` begins with a slash and may have a query. The answer is what the API's description says. */
  get<T>(path: string): Promise<T> {
    return this.#ask<T>(path, { method: 'GET' });
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.#ask<T>(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  }

  /** As an answer what it answers, errors included; rejects with a CliError only when there is none. */
  async ask({ method, path, body }: AdminQuestion, signal: AbortSignal): Promise<AdminAnswer> {
    const isYaml = typeof body === 'string';
    const response = await this.#fetch(
      path,
      {
        method,
        ...(body !== undefined && {
          body: isYaml ? body : JSON.stringify(body),
          headers: { 'content-type': isYaml ? 'application/yaml' : 'application/json' },
        }),
      },
      signal,
    );
    const total = response.headers.get('x-total-count');
    const text = await response.text();
    try {
      return { status: response.status, body: JSON.parse(text), ...(total !== null && { total: Number(total) }) };
    } catch {
      throw new CliError(`${this.#options.server} is not a Gatewright admin API: ${path} did not answer JSON`);
    }
  }

  async #ask<T>(path: string, init: RequestInit & { readonly headers?: Readonly<Record<string, string>> }): Promise<T> {
    const response = await this.#fetch(path, init);
    const text = await response.text();
    if (!response.ok) throw new CliError(faultOf(response.status, text, path));
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new CliError(`${this.#options.server} is not a Gatewright admin API: ${path} did not answer JSON`);
    }
  }

  async #fetch(
    path: string,
    init: RequestInit & { readonly headers?: Readonly<Record<string, string>> },
    until?: AbortSignal,
  ) {
    const { server, token, timeoutMs = 10_000 } = this.#options;
    const headers = { ...init.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    try {
      const late = AbortSignal.timeout(timeoutMs);
      const signal = until ? AbortSignal.any([late, until]) : late;
      return await fetch(new URL(path, server), { ...init, headers, signal });
    } catch (error) {
      throw new CliError(`cannot reach the admin API at ${server}: ${whyOf(error)}; ${advice}`, { cause: error });
    }
  }
}

const advice = 'is the control plane running? Say where with --server, or --kubeconfig for one in a cluster';

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
  const hint = status === 401 ? '; give the token with --token-file or GATEWRIGHT_TOKEN' : '';
  return `${message} (${code}${hint})${more}`;
}

function errorIn(text: string): ErrorBody['error'] | undefined {
  try {
    return (JSON.parse(text) as Partial<ErrorBody>).error;
  } catch {
    return undefined;
  }
}
