import { signal } from '@preact/signals';
import { forgetToken, token } from './token.ts';

/** An error answer of the API, or that there was none (`status` 0). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: readonly { readonly path: string; readonly message: string }[];

  constructor(status: number, code: string, message: string, details: ApiError['details'] = []) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Milliseconds between questions while there is no answer. */
export const silentMs = 3_000;

/** Since when the API has not answered; undefined while it does. */
export const silentSince = signal<Date | undefined>(undefined);
/** Whether the API asks for a token, or rejects the one that was given. */
export const asksToken = signal<'no' | 'missing' | 'wrong'>('no');

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Relative, as the page is always at the root of its prefix. */
export function apiUrl(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    value === undefined || value === null || value === '' ? [] : [[key, String(value)]],
  );
  const search = new URLSearchParams(pairs).toString();
  return `.${path}${search === '' ? '' : `?${search}`}`;
}

export interface Ask {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Sent as JSON, or as it is with `type`. */
  readonly body?: unknown;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The answer as it is, for streams and headers. Throws an ApiError unless the status is 2xx or 304. */
export async function ask(url: string, { method = 'GET', body, type, headers = {}, signal: abort }: Ask = {}) {
  const sent = token.value;
  const response = await reach(url, {
    method,
    headers: {
      ...(sent !== '' && { Authorization: `Bearer ${sent}` }),
      ...(body !== undefined && { 'Content-Type': type ?? 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: type === undefined ? JSON.stringify(body) : String(body) }),
    ...(abort !== undefined && { signal: abort }),
    credentials: 'same-origin',
  });
  if (response.ok || response.status === 304) {
    if (asksToken.value !== 'no') asksToken.value = 'no';
    return response;
  }
  throw await errorOf(response, sent);
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  const response = await unlessCut(fetch(url, init), init.signal);
  silentSince.value = undefined;
  return response;
}

/** An answer, or its body, that ends before it is whole is none: the API may be restarting. */
async function unlessCut<T>(answer: Promise<T>, abort: AbortSignal | null | undefined): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (abort?.aborted) throw error;
    silentSince.value ??= new Date();
    throw new ApiError(0, 'no_answer', 'the control plane does not answer');
  }
}

async function errorOf(response: Response, sent: string): Promise<ApiError> {
  const { status } = response;
  // A late answer to a question without the token, or with the one before, says nothing of the token that was given since.
  if (status === 401 && token.value === sent) {
    // Forgetting it asks again without one, and what was wrong has to stay readable.
    if (sent !== '') asksToken.value = 'wrong';
    else if (asksToken.value === 'no') asksToken.value = 'missing';
    forgetToken();
  }
  const body = (await response.json().catch(() => undefined)) as
    | { readonly error?: { readonly code: string; readonly message: string; readonly details?: ApiError['details'] } }
    | undefined;
  const { code = `http_${status}`, message = response.statusText, details = [] } = body?.error ?? {};
  return new ApiError(status, code, message, details);
}

interface Kept {
  readonly tag: string;
  readonly value: unknown;
}

/** Answers by URL. The browser keeps none: the API asks it not to. */
const kept = new Map<string, Kept>();
const mostKept = 60;

/** What a URL answers, as JSON. What has not changed is neither sent nor read again. */
export async function get<T>(url: string, abort?: AbortSignal): Promise<T> {
  const known = kept.get(url);
  const response = await ask(url, {
    ...(known && { headers: { 'If-None-Match': known.tag } }),
    ...(abort && { signal: abort }),
  });
  if (response.status === 304 && known) return known.value as T;
  const value: unknown = await unlessCut(response.json(), abort);
  remember(url, response.headers.get('ETag'), value);
  return value as T;
}

function remember(url: string, tag: string | null, value: unknown): void {
  kept.delete(url);
  if (tag === null) return;
  kept.set(url, { tag, value });
  const [oldest] = kept.keys();
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
}

/** Another token may see other things. */
export const forgetAnswers = (): void => kept.clear();
