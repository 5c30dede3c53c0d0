import { z } from 'zod';
import { SecretText } from '../secret-text.ts';
import { oneOf, text } from './leaf.ts';

/** Who may use the admin API. */
export interface AdminAuthConfig {
  readonly bearerToken?: SecretText;
  /** Absolute path; read again whenever the file changes. */
  readonly bearerTokenFile?: string;
  /** What else than Layout 1 asks for the token. Probes stay open. */
  readonly protect: readonly ('layout2' | 'metrics')[];
}

/** The contract's `admin_auth`: open when neither token key is set. */
export const adminAuth = z
  .strictObject({
    bearerToken: text(`a token, best written as "\${ADMIN_TOKEN}"`)
      .optional()
      .describe('The token that requests must carry. Name an environment variable here, or use `bearerTokenFile`.'),
    bearerTokenFile: text('the path of a file that holds the token')
      .optional()
      .describe('A file that holds the token; read again whenever it changes.'),
    protect: z
      .array(oneOf(['layout2', 'metrics']), { error: 'a list of layout2 and metrics' })
      .default([])
      .describe('What else than Layout 1 asks for the token: `layout2`, `metrics`. Probes stay open.'),
  })
  .transform(({ bearerToken, ...rest }, context): AdminAuthConfig => {
    if (bearerToken === undefined) return rest;
    if (rest.bearerTokenFile === undefined) return { ...rest, bearerToken: new SecretText(bearerToken) };
    context.addIssue({ code: 'custom', message: 'one of bearer_token and bearer_token_file: remove the other' });
    return z.NEVER;
  })
  .prefault({})
  .describe('Who may use the admin API. Without a token it is open to everybody who reaches it.');
