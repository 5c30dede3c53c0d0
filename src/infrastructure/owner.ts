import { type KubernetesObject, type Metadata, parseObjectKey } from '../gateway-api/index.ts';
import {
  commonName,
  controllerAnnotation,
  gatewayAnnotation,
  gatewayNamespaceLabel,
  isProxiesKey,
  managedByLabel,
  objectName,
} from './names.ts';

type Marked = Pick<KubernetesObject, 'metadata'>;

/** Key of the Gateway, or of the shared proxies, that the object was made for; undefined when nothing says so. */
export const gatewayOf = ({ metadata }: Marked): string | undefined => metadata.annotations?.[gatewayAnnotation];

/**
 * Whether a controller of this name made the object, by every mark that it leaves: the label, the annotations, and the name
 * and namespace that follow from the key. Anything less may be another owner's, or a bait, and is neither changed nor deleted.
 * Objects of releases before there was an annotation for it name no controller.
 */
export function isMadeBy(controllerName: string, { metadata }: Marked): boolean {
  const key = gatewayOf({ metadata } as Marked);
  const { [controllerAnnotation]: controller = controllerName } = metadata.annotations ?? {};
  return (
    metadata.labels?.[managedByLabel.name] === managedByLabel.value &&
    controller === controllerName &&
    key !== undefined &&
    isNamedFor(key, metadata)
  );
}

/** In the namespace of the key under the plain name, or in any under the name that says the whole key. */
function isNamedFor(key: string, { namespace, name, labels = {} }: Metadata): boolean {
  if (!isProxiesKey(key)) return false;
  const own = parseObjectKey(key);
  if (namespace === own.namespace && name === objectName(own.name)) return labels[gatewayNamespaceLabel] === undefined;
  return name === commonName(key);
}

/** Whether the object found under the name of a desired one was made as it, and may be changed. */
export function isMadeFor(live: Marked, { annotations = {}, labels = {} }: Metadata): boolean {
  const { [gatewayAnnotation]: key, [controllerAnnotation]: controller = '' } = annotations;
  return (
    isMadeBy(controller, live) &&
    gatewayOf(live) === key &&
    live.metadata.labels?.[gatewayNamespaceLabel] === labels[gatewayNamespaceLabel]
  );
}
