import type { RequestOptions } from 'node:https';
import { CoreV1Api, type KubeConfig } from '@kubernetes/client-node';
import type { Token } from './admin-client.ts';
import { CliError } from './cli-error.ts';

/** The control plane as it was found in the cluster. */
export interface FoundControlPlane {
  readonly config: KubeConfig;
  readonly namespace: string;
  /** Of the way that we opened to its admin API, and of nothing else: a token of the cluster goes there. */
  readonly url: string;
  /** Where it keeps the tokens of its admin API; undefined when it does not say. */
  readonly tokenSecret: string | undefined;
}

/**
 * What to show to an admin API behind the API server, by the person's own rights: nothing where it asks for nothing, the
 * kubeconfig's bearer token where it takes tokens of the cluster, else what its Secret holds. Rejects with a CliError that
 * says which right is missing.
 */
export async function clusterCredential(found: FoundControlPlane): Promise<Token | undefined> {
  const asked = await challengeOf(found.url);
  if (asked === 'nothing') return undefined;
  if (asked === 'kubernetes' && (await bearerOf(found.config)) !== undefined) return () => bearerOf(found.config);
  return await secretTokens(found, asked === 'kubernetes');
}

/** Asked without a token: it is shown to those only who say that they take it. */
async function challengeOf(url: string): Promise<'nothing' | 'token' | 'kubernetes'> {
  const response = await fetch(new URL('/v1/auth/verify', url), {
    redirect: 'error',
    signal: AbortSignal.timeout(10_000),
  }).catch((cause: Error) => {
    throw new CliError(`cannot reach the admin API: ${(cause.cause as Error | undefined)?.message ?? cause.message}`, {
      cause,
    });
  });
  await response.body?.cancel();
  if (response.status !== 401) return 'nothing';
  const challenge = response.headers.get('www-authenticate') ?? '';
  return challenge.includes('realm="kubernetes"') ? 'kubernetes' : 'token';
}

/** Of a token, a token file, or a plug-in; undefined for a user who has a certificate only. Plug-ins keep theirs until it ends. */
async function bearerOf(config: KubeConfig): Promise<string | undefined> {
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    throw new CliError(`the kubeconfig gives no credential: ${(error as Error).message}`, { cause: error });
  }
  const headers = new Headers(options.headers as Record<string, string>);
  return /^Bearer (?<token>\S+)$/.exec(headers.get('authorization') ?? '')?.groups?.token;
}

async function secretTokens(found: FoundControlPlane, takesTokens: boolean): Promise<Token> {
  const { config, namespace, tokenSecret: name } = found;
  const instead = `${takesTokens ? 'use a kubeconfig with a token, or ' : ''}give the token with --token-file or GATEWRIGHT_TOKEN`;
  if (name === undefined)
    throw new CliError(`the admin API asks for a token, and its pods do not say where it is: ${instead}`);
  const where = `Secret ${namespace}/${name}`;
  const { data = {} } = await config
    .makeApiClient(CoreV1Api)
    .readNamespacedSecret({ namespace, name })
    .catch((cause: Error & { code?: number }) => {
      const user = config.getCurrentUser()?.name ?? 'this user';
      const why =
        cause.code === 403
          ? `${user} may not read ${where}: have Role gatewright-admin-token of that namespace bound to you`
          : `${where} cannot be read (${cause.code ?? cause.message.split('\n')[0]})`;
      throw new CliError(`the admin API asks for a token, and ${why}; or ${instead}`, { cause });
    });
  const text = (key: string): string =>
    Buffer.from(data[key] ?? '', 'base64')
      .toString('utf8')
      .trim();
  const [full, reading] = [text('token'), text('read-only-token')];
  if (full === '') throw new CliError(`the admin API asks for a token, and ${where} holds none; ${instead}`);
  // No more than the request needs.
  return async (isReading) => (isReading && reading !== '' ? reading : full);
}
