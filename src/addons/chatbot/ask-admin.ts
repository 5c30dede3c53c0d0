import type { AdminAnswer } from '../../admin/index.ts';

export type { AdminAnswer, AdminQuestion, AskAdmin } from '../../admin/index.ts';

/** An answer of the admin API that is an error. */
export class AdminRejection extends Error {
  override readonly name = 'AdminRejection';
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
