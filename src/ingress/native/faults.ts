import { type Ingress, objectKey } from '../../gateway-api/index.ts';
import type { Finding } from '../finding.ts';
import { portNumber } from '../world/port-number.ts';
import type { World } from '../world/world.ts';
import type { IngressFault } from './options.ts';

/** What of an Ingress's findings its owner has to know. `closed`: the parts because of which all of its paths are answered 503. */
export function findingFaults(findings: readonly Finding[], closed: string | undefined): readonly IngressFault[] {
  if (closed !== undefined) {
    const texts = findings.flatMap(({ blocks, about, text }) => (blocks ? [`${about}: ${text}`] : []));
    const message = `all of its paths are answered 503, since without this part more would come in: ${texts.join('; ')}`;
    return [{ reason: 'ProtectionUnavailable', message, isWhole: true }];
  }
  return findings.flatMap(({ verdict, about, text, blocks }): IngressFault[] => {
    if (about.startsWith('Service ') || about === 'backend') return [];
    if (blocks) return [{ reason: 'PathNotServed', message: `${about}: ${text}` }];
    if (verdict === 'cannot') return [{ reason: 'AnnotationIgnored', message: `${about}: ${text}` }];
    if (about.startsWith('path ') && verdict === 'no-effect') return [{ reason: 'PathTaken', message: text }];
    return [];
  });
}

/** Backends that are not there: their paths are answered 503. */
export function backendFaults({ metadata, spec }: Ingress, world: World): readonly IngressFault[] {
  const backends = [
    ...(spec.rules ?? []).flatMap(({ http }) => http?.paths.map(({ backend }) => backend) ?? []),
    ...(spec.defaultBackend ? [spec.defaultBackend] : []),
  ];
  const messages = backends.flatMap(({ service, resource }) => {
    if (service === undefined)
      return `backend ${resource?.kind ?? ''} ${resource?.name ?? ''} is no Service: its paths are not served`;
    const key = objectKey(metadata.namespace, service.name);
    const found = world.services.get(key);
    const port = service.port?.name || String(service.port?.number ?? '');
    if (found === undefined) return `Service ${key} does not exist: its paths are answered 503`;
    if (found.spec.type === 'ExternalName')
      return `Service ${key} is of type ExternalName, which has no endpoints here: its paths are answered 503`;
    const number = portNumber(world, key, port);
    if (found.spec.ports?.some((each) => each.port === number)) return [];
    return `Service ${key} has no port ${port}: its paths are answered 503`;
  });
  return [...new Set(messages)].map((message) => ({ reason: 'BackendNotFound', message }));
}
