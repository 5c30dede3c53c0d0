import type { CustomObjectsApi } from '@kubernetes/client-node';
import { type IngressClass, type Kind, keyOf, kinds, type ObjectByKind } from '../../gateway-api/index.ts';
import type { Finding } from './finding.ts';

type GatewayClass = ObjectByKind['GatewayClass'];
type Gateway = ObjectByKind['Gateway'];

const controllerName = 'gatewright.dev/gateway-controller';
const mostNamed = 10;

/** Whose the classes are, and Gateways that name one that no controller serves. */
export async function classFindings(objects: CustomObjectsApi): Promise<Finding[]> {
  try {
    const classes = await listed<GatewayClass>(objects, kinds.GatewayClass);
    const others = classes.filter(({ spec }) => !isOurs(spec.controllerName));
    const left = others.map(
      ({ metadata, spec }): Finding => ({
        level: 'ok',
        what: `GatewayClass ${metadata.name} belongs to ${spec.controllerName}, and is left to it`,
      }),
    );
    return [...left, ...(await unserved(classes, await gatewaysOf(objects)))];
  } catch (error) {
    return [unlisted(error)];
  }
}

/** Classes of ingress-nginx, whose Ingresses an install may serve too. None where classes cannot be listed, which few installs need. */
export async function ingressClassFindings(objects: CustomObjectsApi): Promise<Finding[]> {
  const classes = await listed<IngressClass>(objects, kinds.IngressClass).catch(() => []);
  return classes
    .filter(({ spec: { controller = '' } }) => controller.includes('ingress-nginx'))
    .map(({ metadata: { name }, spec: { controller } }) => ({
      level: 'ok',
      what: `IngressClass ${name} belongs to ${controller}, and is left to it; with ingress.adopt: [${name}] its Ingresses are served here too`,
    }));
}

/** A definition that was just installed is not served for a moment. */
function unlisted(error: unknown): Finding {
  const { code } = error as { readonly code?: unknown };
  if (code === 404) {
    const what = 'the API server does not serve GatewayClasses yet';
    return { level: 'warning', what, remedy: 'their definition is new: run this again in some seconds' };
  }
  const remedy = 'ask an administrator who may list them';
  if (code === 403) return { level: 'warning', what: 'GatewayClasses cannot be listed', remedy };
  const reason = error instanceof Error ? error.message : String(error);
  return { level: 'warning', what: `GatewayClasses cannot be listed: ${reason}`, remedy: 'run this again' };
}

const isOurs = (name: string): boolean => name.startsWith('gatewright.dev/');

const listed = async <T>(objects: CustomObjectsApi, { group, version, plural }: Kind): Promise<readonly T[]> =>
  ((await objects.listClusterCustomObject({ group, version, plural })) as { readonly items: readonly T[] }).items;

/** None where they cannot be listed: the rights that are missing are a finding of their own. */
const gatewaysOf = (objects: CustomObjectsApi): Promise<readonly Gateway[]> =>
  listed<Gateway>(objects, kinds.Gateway).catch(() => []);

/** A class of ours is no finding: its controller may not be there before it is installed. */
async function unserved(classes: readonly GatewayClass[], gateways: readonly Gateway[]): Promise<Finding[]> {
  if (gateways.length === 0) return [];
  const { classFault } = await import('../../admin/index.ts');
  const byName = new Map(classes.map((each) => [each.metadata.name, each]));
  const graph = { find: (_kind: string, name: string) => byName.get(name), list: () => classes } as never;
  const ours = (name: string) => byName.get(name)?.spec.controllerName ?? '';
  const faults = gateways.flatMap((gateway): Finding[] => {
    const name = ours(gateway.spec.gatewayClassName);
    const what = classFault(gateway, { graph, controllerName: isOurs(name) ? name : controllerName });
    if (what === undefined) return [];
    const remedy = 'correct its gatewayClassName, or install the controller of the class';
    return [{ level: 'warning', what: `Gateway ${keyOf(gateway)}: ${what}`, remedy }];
  });
  const more = faults.length - mostNamed;
  return more > 0
    ? [
        ...faults.slice(0, mostNamed),
        { level: 'warning', what: `${more} more Gateways whose class no controller serves` },
      ]
    : faults;
}
