import { hasCertificate, readHost, serverOf } from '../model/hosts.ts';
import type { IngressNginxModel } from '../model/model.ts';
import { catchAll } from '../model/servers.ts';
import type { AskedRequest } from './asked-request.ts';
import type { RequestFacts } from './explanations.ts';

/** What explanations need to know of a request and its host. */
export function requestFacts(model: IngressNginxModel, request: AskedRequest): RequestFacts {
  const { servers } = model;
  const host = readHost(request.host) ?? '';
  const isUnknown = serverOf(servers, host).host === catchAll;
  const above = host.split('.').map((_, at, labels) => `*.${labels.slice(at + 1).join('.')}`);
  return {
    isDeepBelowWildcard: isUnknown && above.some((wildcard) => servers.all.has(wildcard)),
    lacksCertificate: !hasCertificate(servers, host),
    isOfNoPath: model.answer({ ...request, scheme: 'https' }).rule === 'no-path',
  };
}

/** Where no Ingress is known. */
export const noFacts: RequestFacts = { isDeepBelowWildcard: false, lacksCertificate: false, isOfNoPath: false };
