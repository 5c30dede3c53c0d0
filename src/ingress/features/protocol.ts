import { annotated } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import { backendTls, type TlsPlace } from './backend-tls.ts';
import { nothing, only, type Part } from './part.ts';

/** `backend-protocol`, with what `proxy-ssl-*` says of certificates of backends. */
export function protocol(settings: SettingsOf, hosts: readonly string[], place: TlsPlace): Part {
  const name = settings.get('backend-protocol').toUpperCase();
  if (name === 'HTTP') return nothing;
  if (name === 'FCGI')
    return only({ ...annotated('backend-protocol', 'cannot', 'FastCGI is not spoken to backends here'), blocks: true });
  if (name === 'AUTO_HTTP')
    return {
      findings: [annotated('backend-protocol', 'same', 'requests travel in the client’s version of HTTP')],
      backend: { useClientProtocol: true },
    };
  // Clients speak gRPC over HTTP/2 alone, and so it reaches the backend.
  const grpc: Part = name.startsWith('GRPC')
    ? { findings: [annotated('backend-protocol', 'differs', grpcText)], backend: { useClientProtocol: true } }
    : nothing;
  if (name === 'GRPC') return grpc;
  const tls = backendTls(settings, hosts, place);
  return { ...tls, findings: [...grpc.findings, ...tls.findings], backend: { ...grpc.backend, ...tls.backend } };
}

const grpcText =
  'requests travel in the client’s version of HTTP, and gRPC in HTTP/2; those of HTTP/1.1 reach the backend by HTTP/1.1';
