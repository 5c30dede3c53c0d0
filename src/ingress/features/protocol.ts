import { annotated } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import { isHostname } from '../values/hostname.ts';
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
  const wanted = [settings.set('proxy-ssl-name') ?? '', ...hosts];
  const hostname = wanted.find((host) => isHostname(host) && !host.startsWith('*')) ?? 'backend.invalid';
  const tls =
    settings.get('proxy-ssl-verify').toLowerCase() === 'on' ? verified(settings, hostname) : unverified(hostname);
  return { ...tls, findings: [...grpc, ...tls.findings] };
}

/** As nginx does unless it is asked to verify. */
const unverified = (hostname: string): Part => ({
  findings: [
    annotated(
      'backend-protocol',
      'decision',
      `nginx does not verify certificates of backends, and so it stays: name an authority, or a hash in the BackendPolicy, if anyone can be in between; backends get the name ${hostname} by SNI`,
    ),
  ],
  backendTls: { validation: { wellKnownCACertificates: 'System', hostname } },
  backend: {
    tls: { verification: { mode: noted('None', 'as nginx, which verifies nothing unless proxy-ssl-verify is on') } },
  },
});

function verified(settings: SettingsOf, hostname: string): Part {
  const [, secret = ''] = /([^/]*)$/.exec(settings.get('proxy-ssl-secret')) ?? [];
  const authority = `${secret === '' ? 'backend' : secret}-ca`;
  const text = `write the authority of the backend's certificate into ConfigMap ${authority}, entry ca.crt, with the name ${hostname} in the certificate; until then requests get an error`;
  return {
    findings: [annotated('backend-protocol', 'decision', text)],
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
