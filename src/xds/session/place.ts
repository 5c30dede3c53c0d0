import type { EnvoyResource } from '../../translate/index.ts';

/** A resource by its name. */
export type Place = Pick<EnvoyResource, 'typeUrl' | 'name'>;

/** As a key. */
export const placeOf = ({ typeUrl, name }: Place): string => `${typeUrl}\n${name}`;

export function placeIn(key: string): Place {
  const [typeUrl = '', name = ''] = key.split('\n');
  return { typeUrl, name };
}
