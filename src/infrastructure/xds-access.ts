import type { V1Volume, V1VolumeMount } from '@kubernetes/client-node';
import type { XdsTrust } from './gateway-proxies.ts';
import type { Place } from './placed-proxies.ts';
import { bundleKey } from './trust-bundle.ts';

const directory = '/var/run/secrets/gatewright';
const volumeName = 'xds';
const tokenName = 'token';
/** The kubelet renews it after four fifths of that time. */
const tokenSeconds = 3600;

/** What a pod gets to reach the control plane: the trust bundle, and a token of its ServiceAccount for this audience alone. */
export const accessVolume = ({ name }: Place, { audience }: XdsTrust): V1Volume => ({
  name: volumeName,
  projected: {
    sources: [
      { configMap: { name, items: [{ key: bundleKey, path: bundleKey }] } },
      { serviceAccountToken: { audience, expirationSeconds: tokenSeconds, path: tokenName } },
    ],
  },
});

export const accessMount: V1VolumeMount = { name: volumeName, mountPath: directory, readOnly: true };

/** The part of the agent's configuration that names these files. */
export const accessConfig = {
  tls: { caFile: `${directory}/${bundleKey}` },
  tokenFile: `${directory}/${tokenName}`,
} as const;
