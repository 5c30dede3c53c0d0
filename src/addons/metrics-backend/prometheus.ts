import { type AddressGuard, below, type OutgoingAnswer, OutgoingError, send } from '../../outgoing/index.ts';
import { type Envelope, envelope } from './envelope.ts';
import { MetricsError } from './metrics-error.ts';
import type { MetricsSettings } from './settings.ts';

/** A longer answer is not read. */
const maxBytes = 8 * 1024 * 1024;
/** How much is shown of a backend's answer that is not Prometheus JSON, in characters. */
const maxExcerpt = 300;

export interface AskOptions {
  readonly settings: MetricsSettings;
  readonly guard: AddressGuard;
  readonly signal: AbortSignal;
}

/**
 * Asks Prometheus' HTTP API. `path` is below its root, such as `/api/v1/query`. Rejects with a MetricsError that has its words.
 * Source: Prometheus, "HTTP API": 400 and 422 are about the query, 503 is a query that took too long or was given up.
 */
export async function askPrometheus(
  path: string,
  form: Readonly<Record<string, string>>,
  { settings, guard, signal }: AskOptions,
): Promise<Envelope> {
  const { prometheusUrl, authorization, tls } = settings;
  const request = {
    url: below(new URL(prometheusUrl), path),
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(authorization !== '' && { authorization }),
    },
    body: new URLSearchParams(form).toString(),
    tls,
    signal,
  } as const;
  const answer = await send(request, { guard, maxBytes }).catch((caught: unknown) => {
    throw failureOf(caught);
  });
  const said = readEnvelope(answer.text);
  if (answer.status === 200 && said?.status === 'success') return said;
  throw rejectionOf(answer, said);
}

function failureOf(caught: unknown): unknown {
  if (!(caught instanceof OutgoingError)) return caught;
  return new MetricsError(caught.code === 'timeout' ? 'timeout' : 'failed', caught.message, caught);
}

function readEnvelope(text: string): Envelope | undefined {
  try {
    return envelope.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function rejectionOf({ status, text }: OutgoingAnswer, said: Envelope | undefined): MetricsError {
  if (said?.error !== undefined) {
    const message = `${said.errorType ?? 'error'}: ${said.error}`;
    if (status === 400 || status === 422) return new MetricsError('invalid', message);
    return new MetricsError(said.errorType === 'timeout' ? 'timeout' : 'failed', `the backend says ${message}`);
  }
  if (status === 200) return new MetricsError('failed', 'the backend answered 200, but not as Prometheus does');
  const words = text.trim().slice(0, maxExcerpt);
  return new MetricsError('failed', `the backend answered ${status}${words === '' ? '' : `: ${words}`}`);
}
