import { type AdminAuthConfig, isLoopback, type ListenAddress } from '../../config/index.ts';

/** Whether Layout 1, writes included, asks for no token. */
const isOpen = ({ bearerToken, bearerTokenFile, tokenSecret }: AdminAuthConfig): boolean =>
  bearerToken === undefined && bearerTokenFile === undefined && tokenSecret === undefined;

/** What to log at the start of an admin API that any client that reaches this machine may write to; undefined when none may. */
export function openWarning(adminAuth: AdminAuthConfig, { host }: ListenAddress): string | undefined {
  if (!isOpen(adminAuth) || isLoopback(host)) return undefined;
  const where = host === undefined ? 'every address of this machine' : host;
  return `the admin API takes requests at ${where} without a token, writes included: set admin_auth.bearer_token_file (adminAuth.tokenSecret in a cluster), or have it listen on loopback`;
}
