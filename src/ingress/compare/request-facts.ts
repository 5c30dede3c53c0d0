import { hasCertificate, readHost, serverOf } from '../model/hosts.ts';
import { findLocation } from '../model/locations.ts';
import type { IngressNginxModel } from '../model/model.ts';
import { readPath } from '../model/request-path.ts';
import { catchAll, type Server } from '../model/servers.ts';
import { defaultUpstream } from '../model/upstreams.ts';
import type { AskedRequest } from './asked-request.ts';
import type { RequestFacts } from './explanations.ts';

/** What explanations need to know of a request and its host. */
export function requestFacts(model: IngressNginxModel, request: AskedRequest): RequestFacts {
  const { servers } = model;
  const host = readHost(request.host) ?? '';
  const isUnknown = serverOf(servers, host).host === catchAll;
  const { rule } = model.answer(request);
  const above = host.split('.').map((_, at, labels) => `*.${labels.slice(at + 1).join('.')}`);
  return {
    isDeepBelowWildcard: isUnknown && above.some((wildcard) => servers.all.has(wildcard)),
    lacksCertificate: !hasCertificate(servers, host) || servers.all.get(host)?.wwwOf !== undefined,
    isOfNoPath: isOfNoPath(serverOf(servers, host), request.target),
    isRejected: rule === 'snippet',
    isOfCanaryAlone: rule === 'no-endpoints' && hasCanary(model, host, request.target),
  };
}

function hasCanary({ servers }: IngressNginxModel, host: string, target: string): boolean {
  const path = readPath(target)?.path;
  const found = path === undefined ? undefined : findLocation(serverOf(servers, host).locations, path);
  return (servers.upstreams.get(found?.location.upstream ?? '')?.alternatives.length ?? 0) > 0;
}

/** No Ingress made the location that nginx finds: it answers 404, if nothing before that answers. */
function isOfNoPath({ locations, wwwOf }: Server, target: string): boolean {
  const read = readPath(target);
  if (read === undefined || wwwOf !== undefined || locations.fault !== undefined) return false;
  const found = findLocation(locations, read.path);
  return found === undefined || (found.location.isDefault && found.location.upstream === defaultUpstream);
}

/** Where no Ingress is known. */
export const noFacts: RequestFacts = {
  isDeepBelowWildcard: false,
  lacksCertificate: false,
  isOfNoPath: false,
  isRejected: false,
  isOfCanaryAlone: false,
};
