import * as z from 'zod';
import { SecretText } from '../secret-text.ts';
import { oneOf, origin, text, whole } from './leaf.ts';

/** Who may use the admin API. */
export interface AdminAuthConfig {
  readonly bearerToken?: SecretText;
  /** Absolute path; read again whenever the file changes. */
  readonly bearerTokenFile?: string;
  /** A second token, for reading. */
  readonly readOnlyBearerToken?: SecretText;
  /** Absolute path, as above. */
  readonly readOnlyBearerTokenFile?: string;
  /** Name of a Secret beside the control plane with both tokens; made where there is none. In a cluster only. */
  readonly tokenSecret?: string;
  /** Lets people in by their own tokens of the cluster. In a cluster only. */
  readonly kubernetes?: KubernetesAuthConfig;
  /** Written down that no token is asked for. */
  readonly open?: boolean;
  /** Host names by which requests without a token may come, beside addresses and names of the cluster. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may use the API, beside its own. */
  readonly allowedOrigins?: readonly string[];
  /** Requests that one address may make; 200 by default, 0: any number. */
  readonly requestsPerSecond?: number;
  /** What needs no token although one is configured. */
  readonly unprotect?: readonly 'layout2'[];
  /** What else than Layout 1 asks for the token. Probes stay open, and Layout 2 asks unless `unprotect` says otherwise. */
  readonly protect: readonly ('layout2' | 'metrics')[];
}

/** Whom the tokens of people must be for. */
export interface KubernetesAuthConfig {
  readonly enabled: boolean;
  /** Empty: those of the API server itself, which tokens of kubeconfig files are for. */
  readonly audiences: readonly string[];
}

/** The contract's `admin_auth`: open when neither token key is set. */
export const adminAuth = z
  .strictObject({
    bearerToken: text(`a token, best written as "\${ADMIN_TOKEN}"`)
      .optional()
      .describe('The token that requests must have. Use an environment variable here, or `bearerTokenFile`.'),
    bearerTokenFile: text('the path of a file that holds the token')
      .optional()
      .describe('A file that holds the token; read again whenever it changes.'),
    readOnlyBearerToken: text(`a token, best written as "\${ADMIN_READ_TOKEN}"`)
      .optional()
      .describe('A second token, for requests that only read. Use an environment variable here, or the file.'),
    readOnlyBearerTokenFile: text('the path of a file that holds the token')
      .optional()
      .describe('A file that holds the second token; read again whenever it changes.'),
    tokenSecret: text('the name of a Secret such as "gatewright-admin-token"')
      .regex(/^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/, {
        error: 'the name of a Secret: lower-case letters, digits, - and .',
      })
      .optional()
      .describe(
        'A Secret in the control plane’s namespace with both tokens, as `token` and `read-only-token`. The control plane generates missing tokens and follows every change. Only in a cluster.',
      ),
    kubernetes: z
      .strictObject({
        enabled: z.boolean({ error: 'true or false' }).default(false).describe('Accepts tokens of the cluster.'),
        audiences: z
          .array(text('an audience such as "gatewright-admin"'), { error: 'a list of audiences' })
          .default([])
          .describe('Accepted audiences of a token. Default: the API server itself, as in kubeconfig files.'),
      })
      .optional()
      .describe(
        'Lets people in by their own tokens of the cluster (TokenReview), with the rights that RBAC gives them (SubjectAccessReview). Goes beside a token. In a cluster only.',
      ),
    open: z.boolean({ error: 'true or false' }).optional().describe('Opens the API without a token.'),
    allowedHosts: z
      .array(text('a host name'), { error: 'a list of host names' })
      .optional()
      .describe(
        'Further host names that requests without a token may use, on any port. Addresses, `localhost` and names of Services are always accepted. Probes may use any name.',
      ),
    allowedOrigins: z
      .array(origin(), { error: 'a list of origins such as "https://console.example.com"' })
      .optional()
      .describe(
        'Origins whose pages may use the API from a browser, such as `https://console.example.com`. Default: none.',
      ),
    requestsPerSecond: whole('requests of one address per second', 0, 1_000_000)
      .optional()
      .describe('Requests per second from one address to Layout 1; 0: no limit. Default: 200.'),
    unprotect: z
      .array(oneOf(['layout2']), { error: 'a list of layout2' })
      .optional()
      .describe('Ports that need no token although one is configured: `layout2`.'),
    protect: z
      .array(oneOf(['layout2', 'metrics']), { error: 'a list of layout2 and metrics' })
      .default([])
      .describe(
        'Further ports that need the token: `metrics`. Layout 1 and Layout 2 always do, unless `unprotect` has `layout2`. Probes stay open.',
      ),
  })
  .transform(({ bearerToken, readOnlyBearerToken, ...rest }, context): AdminAuthConfig => {
    const { unprotect = [], protect } = rest;
    const isBoth = unprotect.some((each) => protect.includes(each));
    const fault = isBoth
      ? 'layout2 in one of unprotect and protect: remove the other'
      : faultOf({ bearerToken, readOnlyBearerToken, ...rest });
    if (fault === undefined) {
      return {
        ...rest,
        ...(bearerToken !== undefined && { bearerToken: new SecretText(bearerToken) }),
        ...(readOnlyBearerToken !== undefined && { readOnlyBearerToken: new SecretText(readOnlyBearerToken) }),
      };
    }
    context.addIssue({ code: 'custom', message: fault });
    return z.NEVER;
  })
  .prefault({})
  .describe('Access to the admin API. Without a token it is open to every client that reaches it.');

type Places = Pick<
  AdminAuthConfig,
  'bearerTokenFile' | 'readOnlyBearerTokenFile' | 'tokenSecret' | 'kubernetes' | 'open'
> &
  Readonly<Partial<Record<'bearerToken' | 'readOnlyBearerToken', string>>>;

function faultOf(places: Places): string | undefined {
  const { bearerToken, bearerTokenFile, readOnlyBearerToken, readOnlyBearerTokenFile, tokenSecret, kubernetes } =
    places;
  const full = [bearerToken, bearerTokenFile].filter((place) => place !== undefined);
  const forReading = [readOnlyBearerToken, readOnlyBearerTokenFile].filter((place) => place !== undefined);
  if (full.length === 2) return 'one of bearer_token and bearer_token_file: remove the other';
  if (forReading.length === 2) {
    return 'one of read_only_bearer_token and read_only_bearer_token_file: remove the other';
  }
  if (tokenSecret !== undefined && full.length + forReading.length > 0)
    return 'tokenSecret, which has both tokens, or tokens of your own: remove one of the two';
  const isOpen = full.length === 0 && tokenSecret === undefined;
  if (isOpen && forReading.length > 0) return 'bearer_token or bearer_token_file beside the token for reading';
  if (isOpen && kubernetes?.enabled) return 'tokenSecret beside kubernetes: control planes show it to each other';
  return !isOpen && places.open ? 'open or a token: remove one of the two' : undefined;
}
