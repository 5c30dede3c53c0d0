import { annotated } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import { serviceUrl } from '../values/service-url.ts';
import { nothing, only, type Part } from './part.ts';

const url =
  /^(?:(?<scheme>https?):\/\/(?<hostname>[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)(?::(?<port>\d{1,5}))?)?(?<path>\/[!"%-=@-~]*)?$/i;
const statuses = new Set([301, 302, 303, 307, 308]);

/** `temporal-redirect`, else `permanent-redirect`: clients are sent to one URL, whatever they asked for. */
export function redirect(settings: SettingsOf): Part {
  const name = ['temporal-redirect', 'permanent-redirect'].find((each) => settings.set(each) !== undefined);
  if (name === undefined) return nothing;
  const target = settings.get(name);
  const found = url.exec(target)?.groups;
  const [first, last, usual] = name === 'temporal-redirect' ? [300, 307, 302] : [300, 308, 301];
  const code = settings.number(`${name}-code`);
  const statusCode = code >= first && code <= last ? code : usual;
  if (found === undefined || target === '')
    return only({
      ...annotated(name, 'cannot', `${target}: a URL with a query or with variables has no equivalent here`),
      blocks: true,
    });
  if (!statuses.has(statusCode))
    return only({ ...annotated(name, 'cannot', `redirects have no status ${statusCode} here`), blocks: true });
  const { scheme, hostname, port, path = '/' } = found;
  return {
    findings: [annotated(name)],
    answer: {
      regexRedirect: {
        pattern: '^.*$',
        substitution: path.replaceAll('\\', '\\\\'),
        ...(scheme !== undefined && { scheme: scheme.toLowerCase() }),
        ...(hostname !== undefined && { hostname: hostname.toLowerCase() }),
        ...(port !== undefined && { port: Number(port) }),
        statusCode,
        stripQuery: true,
      },
    },
  };
}

/** `upstream-vhost`. */
export function upstreamHost(settings: SettingsOf): Part {
  const hostname = settings.set('upstream-vhost');
  if (hostname === undefined) return nothing;
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(hostname))
    return only(
      annotated('upstream-vhost', 'cannot', `${hostname}: a name in small letters, without variables and port`),
    );
  return { findings: [annotated('upstream-vhost')], hostname };
}

/** `mirror-target`, of a Service of the cluster. */
export function mirror(settings: SettingsOf, namespace: string): Part {
  const target = settings.set('mirror-target');
  if (target === undefined) return nothing;
  const service = serviceUrl(target.replace(/\$request_uri$/, ''), namespace);
  if (service === undefined || service.path !== '/' || !target.endsWith('$request_uri'))
    return only(annotated('mirror-target', 'cannot', `${target}: copies go to a Service, with the same path`));
  const { name, port } = service;
  const isAway = service.namespace !== namespace;
  return {
    findings: [annotated('mirror-target', 'same')],
    ...(isAway && { grants: [{ from: 'HTTPRoute', to: 'Service', namespace: service.namespace, name }] }),
    mirror: { backendRef: { name, ...(isAway && { namespace: service.namespace }), port } },
  };
}
