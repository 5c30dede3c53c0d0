import * as z from 'zod';
import { SecretText } from '../secret-text.ts';
import { oneOf, text } from './leaf.ts';

/** Who may read the agent's admin API beside the control plane. */
export interface DataPlaneAuthConfig {
  readonly bearerToken?: SecretText;
  /** Absolute path; read again whenever the file changes. */
  readonly bearerTokenFile?: string;
  /** Host names by which requests without a token may come, beside addresses and names of the cluster. */
  readonly allowedHosts?: readonly string[];
  /** What else than reports asks for a token. Probes stay open. */
  readonly protect: readonly 'metrics'[];
}

/** The same words as the control plane's `adminAuth`; all that the agent's API does is reading, so one token is enough. */
export const dataPlaneAuth = z
  .strictObject({
    bearerToken: text(`a token, best written as "\${AGENT_TOKEN}"`)
      .optional()
      .describe('A token for reading reports. Use an environment variable here, or `bearerTokenFile`.'),
    bearerTokenFile: text('the path of a file that holds the token')
      .optional()
      .describe('A file that holds the token; read again whenever it changes.'),
    allowedHosts: z
      .array(text('a host name'), { error: 'a list of host names' })
      .optional()
      .describe('Further host names that requests without a token may use, as in `adminAuth.allowedHosts`.'),
    protect: z
      .array(oneOf(['metrics']), { error: 'a list of metrics' })
      .default([])
      .describe('Further paths that need the token: `metrics`. Reports always do, probes never.'),
  })
  .transform(({ bearerToken, ...rest }, context): DataPlaneAuthConfig => {
    if (bearerToken === undefined) return rest;
    if (rest.bearerTokenFile === undefined) return { ...rest, bearerToken: new SecretText(bearerToken) };
    context.addIssue({ code: 'custom', message: 'one of bearer_token and bearer_token_file: remove the other' });
    return z.NEVER;
  })
  .prefault({})
  .describe(
    'Who may read the agent’s admin API beside its control plane, which needs no token of these. In `gatewright run` the tokens of `adminAuth` read it as well.',
  );
