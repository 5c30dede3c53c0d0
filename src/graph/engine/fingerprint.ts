import type { KubernetesObject } from '../../gateway-api/index.ts';
import type { AnyKindModule } from './kind-module.ts';

/**
 * What of an object can change a build, as text. Two versions with the same fingerprint (a status write, an annotation, a
 * renewed lease) are stored and cause no work.
 */
export function fingerprint({ relevant }: Pick<AnyKindModule, 'relevant'>, object: KubernetesObject): string {
  const { generation, creationTimestamp } = object.metadata;
  return JSON.stringify(relevant === 'spec' ? [generation, creationTimestamp, object.spec] : relevant(object as never));
}
