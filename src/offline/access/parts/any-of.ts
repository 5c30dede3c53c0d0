import type * as ir from '../../../ir/index.ts';
import { type Hidden, hiddenKeys, hiddenTokens } from '../../../translate/filters/index.ts';
import { networkOf, networkText } from '../networks.ts';
import type { Presented } from '../presented.ts';
import { denies, passes, unknown, type Verdict } from '../verdict.ts';
import { judgeApiKeys } from './api-keys.ts';
import { judgeBasicAuth } from './basic-auth.ts';
import { judgeClientCertificates } from './client-certificates.ts';
import { judgeJwt, tokenSources } from './jwt.ts';

const basicCredential: ir.CredentialSource = { kind: 'header', name: 'authorization', prefix: 'Basic ' };

/** One way in, and where requests show that they take it. */
interface Way {
  readonly sources: readonly ir.CredentialSource[];
  readonly judge: () => Verdict | Promise<Verdict>;
  /** What of it backends may not see. */
  readonly hidden: readonly Hidden[];
}

/** What a request shows decides what it must meet. One that shows nothing is asked for what browsers can ask their users for. */
export async function judgeAnyOf(
  { allow = [], clientCertificates, basicAuth, apiKeys, jwt }: ir.AnyOf,
  request: Presented,
): Promise<Verdict> {
  const { address } = request;
  const network = address === undefined ? undefined : networkOf(address, allow);
  if (network) return passes(`${address} is in allow ${networkText(network)}, which is enough`);
  const certificate = clientCertificates && judgeClientCertificates(clientCertificates, request);
  if (certificate?.verdict === 'passes') return passes(`${certificate.reason}, which is enough`);
  const { basic, key, token } = waysOf({ basicAuth, apiKeys, jwt }, request);
  const shown = [...basic, ...key, ...token].find((way) => isTaken(way, request));
  const [asked] = [...basic, ...token, ...key];
  const verdict = (await (shown ?? asked)?.judge()) ?? certificate ?? denies(403, 'nothing that is shown is enough');
  if (verdict.verdict !== 'denies' || address !== undefined || allow.length === 0) return verdict;
  return unknown(`the client's address, which was not said, might be enough; else ${verdict.reason}`);
}

type Ways = Readonly<Record<'basic' | 'key' | 'token', readonly Way[]>>;

const waysOf = ({ basicAuth, apiKeys, jwt }: ir.AnyOf, request: Presented): Ways => ({
  basic: basicAuth ? [{ sources: [basicCredential], hidden: [], judge: () => judgeBasicAuth(basicAuth, request) }] : [],
  key: apiKeys
    ? [{ sources: apiKeys.from, hidden: hiddenKeys(apiKeys), judge: () => judgeApiKeys(apiKeys, request) }]
    : [],
  token: jwt ? [{ sources: tokenSources(jwt), hidden: hiddenTokens(jwt), judge: () => judgeJwt(jwt, request) }] : [],
});

const isTaken = ({ sources }: Way, request: Presented): boolean => sources.some((source) => isShown(source, request));

/** What backends may not see of the credential that a request came in by. */
export function hiddenOfAny(any: ir.AnyOf, request: Presented): readonly Hidden[] {
  const { allow = [], clientCertificates } = any;
  const { address } = request;
  if (address !== undefined && networkOf(address, allow)) return [];
  if (clientCertificates && judgeClientCertificates(clientCertificates, request).verdict === 'passes') return [];
  const { basic, key, token } = waysOf(any, request);
  return [...basic, ...key, ...token].find((way) => isTaken(way, request))?.hidden ?? [];
}

/** Whether there is something, right or wrong. */
function isShown(source: ir.CredentialSource, request: Presented): boolean {
  const { kind, name } = source;
  if (kind === 'cookie') return request.cookie(name) !== undefined;
  if (kind === 'query') return request.queryParam(name) !== undefined;
  const values = request.header(name);
  const prefix = (source.prefix ?? '').toLowerCase();
  return values.length > 0 && values.join(',').toLowerCase().startsWith(prefix);
}
