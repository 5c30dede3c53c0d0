import { type ObjectKey, objectKey } from '../../gateway-api/index.ts';
import type { World } from './world.ts';

/** Keys of the ConfigMap that name another one, and annotations that do. */
const settingsThatName = ['proxy-set-headers', 'add-headers'];
const annotationsThatName = ['custom-headers', 'auth-proxy-set-headers', 'fastcgi-params-configmap'];

/** Secrets that Ingresses and the controller name: certificates, authorities, passwords. */
export function* namedSecrets({ ingresses, controller }: World): Generator<ObjectKey> {
  const standard = controller.flags.get('default-ssl-certificate');
  if (standard?.includes('/')) yield standard as ObjectKey;
  for (const { metadata, spec } of ingresses) {
    const { namespace, annotations = {} } = metadata;
    for (const { secretName } of spec.tls ?? []) if (secretName) yield objectKey(namespace, secretName);
    for (const [name, value] of Object.entries(annotations))
      if (name.endsWith('-secret') && value !== '') yield keyIn(namespace, value);
  }
}

/** ConfigMaps that Ingresses and the controller name: its own, and lists of headers, parameters and ports. */
export function* namedConfigMaps({ ingresses, controller }: World): Generator<ObjectKey> {
  const { configMap, flags, settings } = controller;
  if (configMap !== undefined) yield configMap;
  for (const flag of ['tcp-services-configmap', 'udp-services-configmap']) {
    const value = flags.get(flag);
    if (value?.includes('/')) yield value as ObjectKey;
  }
  for (const key of settingsThatName) if (settings[key]?.includes('/')) yield settings[key] as ObjectKey;
  for (const { metadata } of ingresses)
    for (const [name, value] of Object.entries(metadata.annotations ?? {}))
      if (annotationsThatName.some((each) => name.endsWith(`/${each}`)) && value !== '')
        yield keyIn(metadata.namespace, value);
}

const keyIn = (namespace: string | undefined, name: string): ObjectKey =>
  name.includes('/') ? (name as ObjectKey) : objectKey(namespace, name);
