import type * as ir from '../../../ir/index.ts';
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
  const basic: Way[] = basicAuth
    ? [{ sources: [basicCredential], judge: () => judgeBasicAuth(basicAuth, request) }]
    : [];
  const key: Way[] = apiKeys ? [{ sources: apiKeys.from, judge: () => judgeApiKeys(apiKeys, request) }] : [];
  const token: Way[] = jwt ? [{ sources: tokenSources(jwt), judge: () => judgeJwt(jwt, request) }] : [];
  const shown = [...basic, ...key, ...token].find(({ sources }) => sources.some((source) => isShown(source, request)));
  const [asked] = [...basic, ...token, ...key];
  const verdict = (await (shown ?? asked)?.judge()) ?? certificate ?? denies(403, 'nothing that is shown is enough');
  if (verdict.verdict !== 'denies' || address !== undefined || allow.length === 0) return verdict;
  return unknown(`the client's address, which was not said, might be enough; else ${verdict.reason}`);
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
