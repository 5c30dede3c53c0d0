import { keyOf, type ObjectKey } from '../../gateway-api/index.ts';
import type { Part } from '../features/part.ts';
import { nothing } from '../features/part.ts';
import { annotated } from '../finding.ts';
import { SettingsOf } from '../settings-of.ts';
import { firstCertificate } from '../values/pem.ts';
import type { Ingress } from '../world/objects.ts';
import { secretText } from '../world/secret-text.ts';
import { type ClientAuthorities, hostsOf, type Site } from './site.ts';

/** The first Ingress of a host that says who signs certificates of clients: it decides for the host. */
function demandOf(
  host: string,
  { byHost, world }: Site,
): { readonly by: Ingress; readonly its: SettingsOf } | undefined {
  for (const by of byHost.get(host) ?? []) {
    const its = new SettingsOf(by, world.controller);
    if (its.written('auth-tls-secret') !== undefined && its.get('auth-tls-verify-client') !== 'off') return { by, its };
  }
  return undefined;
}

/**
 * Undefined: no host asks for certificates; or they are signed by authorities of several Secrets, which a Gateway would take for all of its hosts;
 * or what is in the Secret is not known, or is more than certificates.
 */
export function clientAuthorities(site: Site): ClientAuthorities | undefined {
  const demands = [...site.byHost.keys()].flatMap((host) => demandOf(host, site) ?? []);
  const named = new Set(demands.map(({ by, its }) => keyIn(by, its.get('auth-tls-secret'))));
  const [secret] = named;
  if (secret === undefined || named.size > 1) return undefined;
  const object = site.world.secrets.get(secret);
  const certificates = secretText(object, 'ca.crt');
  if (
    certificates === undefined ||
    secretText(object, 'ca.crl') !== undefined ||
    firstCertificate(certificates)?.ca !== true
  )
    return undefined;
  return { secret, certificates };
}

const keyIn = ({ metadata: { namespace = 'default' } }: Ingress, name: string): ObjectKey =>
  (name.includes('/') ? name : `${namespace}/${name}`) as ObjectKey;

/** What an Ingress gets of the certificates that its hosts ask for. */
export function clientCertificates(ingress: Ingress, settings: SettingsOf, site: Site): Part {
  const hosts = hostsOf(ingress).map((host) => ({ host, demand: demandOf(host, site) }));
  const [first] = hosts.flatMap(({ host, demand }) => (demand ? [{ host, ...demand }] : []));
  if (first === undefined) return nothing;
  const modes = new Set(hosts.map(({ demand }) => demand?.its.get('auth-tls-verify-client')));
  const [mode] = modes;
  const isPlain = modes.size === 1 && (mode === 'on' || mode === 'optional');
  if (site.authorities === undefined || !isPlain || settings.get('satisfy').toLowerCase() === 'any')
    return { findings: [{ ...annotated('auth-tls-secret', 'decision', decisionText(first, ingress)), blocks: true }] };
  return {
    findings: [annotated('auth-tls-secret'), annotated('auth-tls-verify-client')],
    ...(mode === 'on' && { access: { clientCertificates: { required: true } } }),
  };
}

function decisionText({ host, by }: { readonly host: string; readonly by: Ingress }, ingress: Ingress): string {
  const from = by === ingress ? '' : `, by Ingress ${keyOf(by)}`;
  return `clients of ${host} need a certificate${from}: name the authorities in tls.frontend of a Gateway, and demand certificates by an AccessPolicy`;
}
