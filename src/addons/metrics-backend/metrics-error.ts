/**
 * What a question to the metrics backend came to when it was not answered:
 *
 * | code | when |
 * |---|---|
 * | `invalid` | the query is wrong, in the backend's own words |
 * | `failed` | the backend cannot be reached, rejects us or is no Prometheus |
 * | `timeout` | it did not answer in time |
 * | `busy` | too many questions wait already |
 */
export class MetricsError extends Error {
  override readonly name = 'MetricsError';
  readonly code: 'invalid' | 'failed' | 'timeout' | 'busy';

  constructor(code: MetricsError['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Settings that cannot be taken, each fault with its place. */
export class MetricsSettingsError extends Error {
  override readonly name = 'MetricsSettingsError';
  readonly details: readonly { readonly path: string; readonly message: string }[];

  constructor(details: MetricsSettingsError['details']) {
    super(details.map(({ path, message }) => `${path} ${message}`).join('; '));
    this.details = details;
  }
}
