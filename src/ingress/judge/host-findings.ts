import { keyOf, type ObjectKey, objectKey } from '../../gateway-api/index.ts';
import { entriesOf } from '../annotations/index.ts';
import { annotated, type Finding } from '../finding.ts';
import { hasCertificate } from '../model/hosts.ts';
import { isShadowed } from '../model/locations.ts';
import { catchAll, type Server } from '../model/servers.ts';
import { upstreamName } from '../model/upstreams.ts';
import { SettingsOf } from '../settings-of.ts';
import { snippet } from '../snippets/convert.ts';
import { isHostname } from '../values/hostname.ts';
import { literalPath } from '../values/literal-path.ts';
import type { Ingress } from '../world/objects.ts';
import { portNumber } from '../world/port-number.ts';
import { hostsOf, passedTo, type Site, serversOf } from './site.ts';
import { tlsSecret } from './tls-secret.ts';

/** What an Ingress gets from its hosts, from other Ingresses of these, and from the Services that it names. */
export function hostFindings(ingress: Ingress, settings: SettingsOf, site: Site, isShare: boolean): readonly Finding[] {
  if (isShare) return canaryFindings(ingress, site);
  return [
    ...(settings.is('canary') ? [noShare(ingress, site)] : []),
    ...neighbourSnippets(ingress, site),
    ...hostsOf(ingress).flatMap(wideFindings),
    ...serversOf(ingress, site).flatMap((server) => serverFindings(ingress, server)),
    ...lostPaths(ingress, site),
    ...backendFindings(ingress, site),
    ...passthroughFinding(ingress, settings, site),
    ...aliasFindings(settings),
    ...httpsFindings(ingress, settings, site),
  ];
}

/** Hosts that stand for many. */
function wideFindings(host: string): readonly Finding[] {
  if (host === catchAll) return [];
  if (!isHostname(host)) return [{ verdict: 'no-effect', about: `host ${host}`, text: 'it is no name of a host' }];
  if (!host.startsWith('*.')) return [];
  return [
    {
      verdict: 'differs',
      about: `host ${host}`,
      text: 'any number of labels may stand for the *, in nginx one',
    },
  ];
}

/** A `server-snippet` of another Ingress holds for all paths of its hosts. */
function neighbourSnippets(ingress: Ingress, site: Site): readonly Finding[] {
  const neighbours = new Set(hostsOf(ingress).flatMap((host) => site.byHost.get(host) ?? []));
  return [...neighbours].flatMap((other): readonly Finding[] => {
    const source = new SettingsOf(other, site.world.controller).written('server-snippet');
    if (source === undefined || other === ingress) return [];
    const { findings, answer, redirect } = snippet('', source);
    const isForAll = answer !== undefined || redirect !== undefined || findings.some(({ blocks }) => blocks);
    if (site.dead.has(keyOf(other)) || !isForAll) return [];
    const text = `that of Ingress ${keyOf(other)} holds for the whole host, and a part of it answers there, or has no equivalent here`;
    return [{ verdict: 'decision', about: 'server-snippet', text, blocks: true }];
  });
}

function serverFindings(ingress: Ingress, { host, locations }: Server): readonly Finding[] {
  if (locations.fault !== undefined)
    return [
      {
        verdict: 'decision',
        about: `host ${host}`,
        text: `nginx cannot load the host: ${locations.fault}`,
        blocks: true,
      },
    ];
  const own = locations.all.filter(({ rules }) => rules.ingress === keyOf(ingress));
  const unreachable = own.filter(({ form, path }) => form !== 'regex' && literalPath(path) === undefined);
  const denied = own.find(({ rules }) => rules.denied !== undefined)?.rules.denied;
  if (denied !== undefined)
    return [
      { verdict: 'decision', about: 'its answers today', text: `its paths answer 503, since ${denied}`, blocks: true },
    ];
  const regex = locations.all.find(
    ({ form, rules }) => form === 'regex' && (rules.useRegex || rules.rewriteTarget !== undefined),
  );
  const shadowed = own.find((location) => !location.isDefault && isShadowed(location, locations.all));
  if (shadowed !== undefined)
    return [
      {
        verdict: 'no-effect',
        about: `path ${shadowed.path}`,
        text: `an expression of ${host} with the same text comes before it, so no request gets there`,
      },
    ];
  if (unreachable.length > 0)
    return [{ verdict: 'no-effect', about: `path ${unreachable[0]?.path}`, text: 'no request has such a path' }];
  if (regex === undefined || own.length === 0 || regex.rules.ingress === keyOf(ingress)) return [];
  const text = `Ingress ${regex.rules.ingress} makes all paths of ${host} expressions that ignore case and are open at their end; they stay that`;
  return [{ verdict: 'same', about: 'use-regex', text }];
}

/** Paths that another Ingress answers. */
function lostPaths(ingress: Ingress, { servers }: Site): readonly Finding[] {
  return (ingress.spec.rules ?? []).flatMap(({ host, http }) => {
    const all = servers.all.get(host || '_')?.locations.all ?? [];
    return (http?.paths ?? []).flatMap(({ path = '/' }): readonly Finding[] => {
      const takers = all
        .filter((location) => location.path === path && !location.isDefault)
        .map(({ rules }) => rules.ingress);
      if (takers.length === 0 || takers.includes(keyOf(ingress))) return [];
      return [
        {
          verdict: 'no-effect',
          about: `path ${path}`,
          text: `${host ?? 'all hosts'}${path} is answered by Ingress ${takers[0]} today, and will be`,
        },
      ];
    });
  });
}

function backendFindings(ingress: Ingress, { world }: Site): readonly Finding[] {
  const { rules = [], defaultBackend } = ingress.spec;
  const backends = [
    ...rules.flatMap(({ http }) => http?.paths.map(({ backend }) => backend) ?? []),
    ...(defaultBackend ? [defaultBackend] : []),
  ];
  const seen = new Set<string>();
  return backends.flatMap((backend): readonly Finding[] => {
    const name = upstreamName(ingress, backend);
    if (name === undefined)
      return [{ verdict: 'cannot', about: 'backend', text: 'a resource that is no Service answers nothing, as today' }];
    const service = backend.service;
    if (seen.has(name) || service === undefined) return [];
    seen.add(name);
    const key = objectKey(ingress.metadata.namespace, service.name);
    return serviceFindings(key, service.port?.name || String(service.port?.number ?? ''), world);
  });
}

function serviceFindings(key: ObjectKey, port: string, world: Site['world']): readonly Finding[] {
  const service = world.services.get(key);
  if (portNumber(world, key, port) === undefined)
    return [
      {
        verdict: 'decision',
        about: `Service ${key}`,
        text: `the number of its port ${port} could not be found out: read the Service too`,
        blocks: true,
      },
    ];
  if (service?.spec.type === 'ExternalName')
    return [
      {
        verdict: 'differs',
        about: `Service ${key}`,
        text: 'its name is resolved by proxies (XBackend, experimental channel), and is the Host that the server sees',
      },
    ];
  if (service === undefined && !world.unread.has('Service'))
    return [
      { verdict: 'differs', about: `Service ${key}`, text: 'it does not exist: requests get 500, from nginx 503' },
    ];
  return [];
}

/** Its Service is a primary: nginx lets weights and headers of the canary go. */
function noShare(ingress: Ingress, site: Site): Finding {
  const all = 'its Service is that of an Ingress without canary too: nginx sends all requests for its paths there';
  const isServed = serversOf(ingress, site).some(({ locations }) =>
    locations.all.some(({ rules }) => rules.ingress === keyOf(ingress)),
  );
  return isServed
    ? annotated('canary', 'decision', `${all}, and so it stays; give it a Service of its own`)
    : annotated('canary', 'decision', `${all}, for hosts that no other Ingress has; they are left out here`);
}

function canaryFindings(ingress: Ingress, { servers }: Site): readonly Finding[] {
  const names = (ingress.spec.rules ?? []).flatMap(
    ({ http }) => http?.paths.map(({ backend }) => upstreamName(ingress, backend)) ?? [],
  );
  const used = new Set([...servers.upstreams.values()].flatMap(({ alternatives }) => alternatives));
  if (names.some((name) => name !== undefined && used.has(name))) return [annotated('canary')];
  return [annotated('canary', 'no-effect', 'no other Ingress has its host and path, so it gets no requests')];
}

/** Aliases that no route can have as hosts. */
function aliasFindings(settings: SettingsOf): readonly Finding[] {
  const odd = entriesOf(settings.get('server-alias')).filter((alias) => !isHostname(alias));
  if (odd.length === 0) return [];
  return [annotated('server-alias', 'cannot', `${odd.slice(0, 5).join(', ')}: hosts are names, and no expressions`)];
}

/** Redirects to HTTPS, and certificates that are not there. */
function httpsFindings(ingress: Ingress, settings: SettingsOf, site: Site): readonly Finding[] {
  const { namespace } = ingress.metadata;
  const { secrets, unread, controller } = site.world;
  const secure = serversOf(ingress, site).some(({ hasCertificate }) => hasCertificate);
  const isSent = settings.is('force-ssl-redirect') || (settings.is('ssl-redirect') && secure);
  const cut = isSent && !settings.is('preserve-trailing-slash') ? [annotated('ssl-redirect')] : [];
  const hasDefault = controller.flags.has('default-ssl-certificate');
  const bare = serversOf(ingress, site).filter(
    ({ host, hasCertificate }) =>
      host !== catchAll &&
      hasCertificate &&
      !hasDefault &&
      !site.byHost.get(host)?.some((other) => tlsSecret(other, host, site.world)),
  );
  const missing = (ingress.spec.tls ?? []).flatMap(({ secretName }) =>
    secretName && !unread.has('Secret') && !secrets.has(objectKey(namespace, secretName)) ? [secretName] : [],
  );
  const own = 'nginx answers with its default certificate, and here there is no HTTPS: give the host a certificate';
  const sent = settings.is('force-ssl-redirect') && !hasDefault ? forcedWithout(ingress, site) : [];
  return [
    ...cut,
    ...sent.map((host) => ({
      verdict: 'decision' as const,
      about: `HTTPS of ${host === catchAll ? 'all other hosts' : host}`,
      text: `force-ssl-redirect sends clients there; ${own}`,
    })),
    ...bare.map(({ host }) => ({ verdict: 'decision' as const, about: `HTTPS of ${host}`, text: own })),
    ...missing.map((name) => ({
      verdict: 'decision' as const,
      about: `Secret ${name}`,
      text: `it does not exist: ${own}`,
    })),
  ];
}

/** Hosts that no Ingress has a certificate for, and no wildcard above them. */
const forcedWithout = (ingress: Ingress, { servers }: Site): readonly string[] =>
  hostsOf(ingress).filter((host) => !hasCertificate(servers, host));

function passthroughFinding(ingress: Ingress, settings: SettingsOf, site: Site): readonly Finding[] {
  if (!settings.is('ssl-passthrough')) return [];
  if (site.world.controller.flags.get('enable-ssl-passthrough') !== 'true')
    return [annotated('ssl-passthrough', 'no-effect', 'the controller runs without --enable-ssl-passthrough')];
  const lost = serversOf(ingress, site).find((server) => server.passthrough && passedTo(server, site) === undefined);
  if (lost === undefined) return [annotated('ssl-passthrough')];
  const text = `${lost.host} has no path /, and only its Service gets connections`;
  return [{ ...annotated('ssl-passthrough', 'decision', text), blocks: true }];
}
