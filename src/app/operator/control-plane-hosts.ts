import { isIP } from 'node:net';
import type { Config } from '../../config/index.ts';

/** Names of the control plane, which names of users are led to by no proxy. Our Services have one name with and without these ends: manifests/40-services.yaml. */
export function controlPlaneHosts({ infrastructure, replicas }: Pick<Config, 'infrastructure' | 'replicas'>): string[] {
  const { host = 'localhost' } = infrastructure.xdsAddress;
  const [name, ...rest] = host.split('.');
  const services = ['', '-admin', '-replicas'].map((end) => [`${name}${end}`, ...rest].join('.'));
  const isName = isIP(host) === 0;
  return [...new Set([...(isName ? services : [host]), ...(replicas.service?.host ? [replicas.service.host] : [])])];
}
