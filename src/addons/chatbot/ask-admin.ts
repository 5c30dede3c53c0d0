/** One question to the admin API, which changes nothing. */
export interface AdminQuestion {
  readonly method: 'GET' | 'POST';
  /** With its query, such as `/v1/routes?limit=10`. */
  readonly path: string;
  /** A value is sent as JSON; text as YAML. */
  readonly body?: unknown;
}

export interface AdminAnswer {
  readonly status: number;
  /** What Layout 1 answers, errors included. */
  readonly body: unknown;
  /** Of a list: how many entries there are in all. */
  readonly total?: number | undefined;
}

/** Asks Layout 1 of the admin API, in this process or over HTTP. Rejects only when it cannot be asked at all. */
export type AskAdmin = (question: AdminQuestion, signal: AbortSignal) => Promise<AdminAnswer>;

/** An answer of the admin API that is an error. */
export class AdminRefusal extends Error {
  override readonly name = 'AdminRefusal';
  readonly status: number;
  readonly body: unknown;

  constructor({ status, body }: AdminAnswer) {
    super(messageIn(body) ?? `the admin API answered ${status}`);
    this.status = status;
    this.body = body;
  }
}

/** A path with the parameters that are not undefined. */
export function withQuery(path: string, parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const joint = path.includes('?') ? '&' : '?';
  return given.length === 0 ? path : `${path}${joint}${new URLSearchParams(given)}`;
}

function messageIn(body: unknown): string | undefined {
  const { error } = (body ?? {}) as { readonly error?: { readonly code?: string; readonly message?: string } };
  return error?.message === undefined ? undefined : `${error.message} (${error.code})`;
}
