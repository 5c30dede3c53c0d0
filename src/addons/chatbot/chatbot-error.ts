/**
 * Why a chat cannot begin, or went wrong:
 *
 * | code | when |
 * |---|---|
 * | `not_configured` | no model, and the built-in mode is off |
 * | `busy` | as many chats as there may be |
 * | `model_unreachable` | no connection to the provider, or it broke |
 * | `model_timeout` | it did not come to an end in time |
 * | `model_refused` | the provider does not let us in, or does not know the model |
 * | `model_limited` | the provider asks us to wait |
 * | `model_failed` | the provider is in trouble |
 * | `model_answer_invalid` | what it answers is not in OpenAI's format, or breaks off |
 * | `model_answer_too_large` | it answers without end |
 */
export type ChatErrorCode =
  | 'not_configured'
  | 'busy'
  | 'model_unreachable'
  | 'model_timeout'
  | 'model_refused'
  | 'model_limited'
  | 'model_failed'
  | 'model_answer_invalid'
  | 'model_answer_too_large';

/** The message is for the user of the chat; it never has a key in it. */
export class ChatError extends Error {
  override readonly name = 'ChatError';
  readonly code: ChatErrorCode;

  constructor(code: ChatErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Settings that cannot be taken, each fault with its place. */
export class ChatSettingsError extends Error {
  override readonly name = 'ChatSettingsError';
  readonly details: readonly { readonly path: string; readonly message: string }[];

  constructor(details: ChatSettingsError['details']) {
    super(details.map(({ path, message }) => `${path} ${message}`).join('; '));
    this.details = details;
  }
}
