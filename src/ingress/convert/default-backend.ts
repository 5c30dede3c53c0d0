import { objectKey, parseObjectKey } from '../../gateway-api/index.ts';
import type { Fields } from '../features/part.ts';
import type { Site } from '../judge/site.ts';
import { catchAll } from '../model/servers.ts';
import { defaultCertificate } from './certificates.ts';
import { objectOf } from './object.ts';
import type { ConvertOptions } from './options.ts';

/** The HTTPRoute of `--default-backend-service`, in its namespace: for hosts and paths that no Ingress has. An Ingress for all other hosts goes before it. */
export function defaultRoute(
  site: Site,
  { gateway }: ConvertOptions,
): { readonly namespace: string; readonly route: Fields } | undefined {
  const { services, controller } = site.world;
  const { namespace, name } = parseObjectKey(controller.flags.get('default-backend-service') ?? '');
  const port = services.get(objectKey(namespace, name))?.spec.ports?.[0]?.port;
  const root = site.servers.all.get(catchAll)?.locations.all.find(({ path }) => path === '/');
  if (port === undefined || root?.isDefault === false) return undefined;
  const parent = (sectionName: string): Fields => ({ name: gateway.name, namespace: gateway.namespace, sectionName });
  const route = objectOf(
    'gateway.networking.k8s.io/v1',
    'HTTPRoute',
    { name: 'default-backend', namespace },
    {
      parentRefs: [parent('http'), ...(defaultCertificate(site) ? [parent('https')] : [])],
      rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/' } }], backendRefs: [{ name, port }] }],
    },
  );
  return { namespace, route };
}
