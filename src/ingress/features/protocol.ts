import { annotated } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import { noted } from '../values/noted.ts';
import { nothing, only, type Part } from './part.ts';

/** `backend-protocol`, with what `proxy-ssl-*` says of certificates of backends. */
export function protocol(settings: SettingsOf, hosts: readonly string[]): Part {
  const name = settings.get('backend-protocol').toUpperCase();
  if (name === 'HTTP') return nothing;
  if (name === 'FCGI')
    return only({ ...annotated('backend-protocol', 'cannot', 'FastCGI is not spoken to backends here'), blocks: true });
  if (name === 'AUTO_HTTP')
    return {
      findings: [annotated('backend-protocol', 'same', 'requests travel in the client’s version of HTTP')],
      backend: { useClientProtocol: true },
    };
  const grpc = name.startsWith('GRPC')
    ? [annotated('backend-protocol', 'decision', `${name}: give the Service's port \`appProtocol: kubernetes.io/h2c\``)]
    : [];
  if (name === 'GRPC') return only(...grpc);
  const [, secret] = /([^/]*)$/.exec(settings.get('proxy-ssl-secret')) ?? [];
  const verifies = settings.get('proxy-ssl-verify').toLowerCase() === 'on';
  const hostname =
    settings.set('proxy-ssl-name') ?? hosts.find((host) => host !== '' && !host.includes('*')) ?? 'backend.invalid';
  const authority = `${secret === '' || secret === undefined ? 'backend' : secret}-ca`;
  const text = `write the authority of the backend's certificate into ConfigMap ${authority}, entry ca.crt, with the name ${hostname} in the certificate; until then requests get an error`;
  return {
    findings: [
      ...grpc,
      annotated('backend-protocol', 'decision', verifies ? text : `nginx verifies nothing here; ${text}`),
    ],
    backendTls: {
      validation: {
        caCertificateRefs: noted(
          [{ group: '', kind: 'ConfigMap', name: authority }],
          'not made by this conversion: entry ca.crt, the authority of the backend',
        ),
        hostname,
      },
    },
  };
}
