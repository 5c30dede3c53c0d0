import type { V1Volume, V1VolumeMount } from '@kubernetes/client-node';
import type { DataPlaneSpec } from '../gateway-api/index.ts';

/*
 * Where a proxy keeps its last good configuration: an `emptyDir`, on any medium. Pods of a Deployment have no lasting names, so no pod would
 * find again what another left in a lasting volume; and two pods in one folder would overwrite each other's files.
 */

type Parameters = Pick<DataPlaneSpec, 'cache'>;

const directory = '/var/cache/gatewright';
const keyDirectory = '/etc/gatewright-cache';
const keyFile = 'key';

/** `dataplane.cache` of the agent's configuration. */
export function cacheConfig({ cache = {} }: Parameters) {
  const { enabled = true, encryptionKeyRef, excludeSecrets, maxAge } = cache;
  if (!enabled) return {};
  return {
    directory,
    ...(encryptionKeyRef && { keyFile: `${keyDirectory}/${keyFile}` }),
    ...(excludeSecrets && { secrets: false }),
    ...(maxAge !== undefined && { maxAge }),
  };
}

export function cacheVolumes({ cache = {} }: Parameters): V1Volume[] {
  const { enabled = true, medium = 'Memory', encryptionKeyRef } = cache;
  if (!enabled) return [];
  // By default no private key is written to the node's disk.
  const volume = { name: 'cache', emptyDir: medium === 'Memory' ? { medium } : {} };
  if (!encryptionKeyRef) return [volume];
  const { name: secretName, key = keyFile } = encryptionKeyRef;
  const secret = { secretName, defaultMode: 0o444, items: [{ key, path: keyFile }] };
  return [volume, { name: 'cache-key', secret }];
}

export function cacheMounts({ cache = {} }: Parameters): V1VolumeMount[] {
  const { enabled = true, encryptionKeyRef } = cache;
  if (!enabled) return [];
  const mount = { name: 'cache', mountPath: directory };
  return encryptionKeyRef ? [mount, { name: 'cache-key', mountPath: keyDirectory, readOnly: true }] : [mount];
}
