import type { Readable } from 'node:stream';
import { KubeError } from '../kube-error.ts';

/** What an API server answers, as soon as its headers are in. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
  /** Whether a body that has ended was whole: HTTP/2 may end one without an error. */
  readonly isWhole: () => boolean;
  /** The connection is asked whether it lives, so that silence says nothing. */
  readonly isWatched: boolean;
}

/** A request as it goes out. */
export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | number | string[] | undefined>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long the answer's headers may take, a new connection included. */
  readonly timeoutMs: number;
}

/** The server closed a kept connection just when it was used again; nothing was wrong with the request. */
export class StaleConnectionError extends Error {
  override readonly name = 'StaleConnectionError';
}

// Dead peers are found by the kernel after about 15 s + 10 probes of 1 s.
export const tcpKeepAliveDelayMs = 15_000;

// Without TLS, which an API server under load takes its time for.
export const connectMs = 5_000;

/** No headers came in time. */
export const lateError = (method: string, url: URL, timeoutMs: number): KubeError =>
  new KubeError({ code: 'timeout', message: `${method} ${url.href}: no answer in ${timeoutMs} ms` });
