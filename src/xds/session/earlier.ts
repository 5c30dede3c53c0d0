import { chainPrefixes } from '../../contracts/index.ts';
import { typeUrls } from '../../envoy/index.ts';
import type { EnvoyResource } from '../../translate/index.ts';

/** Whether only proxies with a listener of an earlier release ask for the resource. */
export const isForEarlier = ({ typeUrl, name }: Pick<EnvoyResource, 'typeUrl' | 'name'>): boolean =>
  typeUrl === typeUrls.extension && name.startsWith(chainPrefixes.access);
