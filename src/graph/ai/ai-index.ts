import { objectKey } from '../../gateway-api/index.ts';
import { ReverseIndex } from '../engine/reverse-index.ts';
import type { AiServiceObject } from './ai-service.ts';

/** Which AIServices refer to what, read from the specs alone. Keys are object keys. */
export class AiServiceIndex {
  readonly bySecret = new ReverseIndex();
  readonly byConfigMap = new ReverseIndex();
  /** By the service that is fallen back to. */
  readonly byFallback = new ReverseIndex();

  set(key: string, object: AiServiceObject | undefined): void {
    const namespace = object?.metadata.namespace ?? '';
    const secret = object?.spec.auth?.secretRef.name;
    const own = (names: readonly { readonly name: string }[] = []) => [
      ...new Set(names.map(({ name }) => objectKey(namespace, name))),
    ];
    this.bySecret.set(key, secret === undefined ? [] : [objectKey(namespace, secret)]);
    this.byConfigMap.set(key, own(object?.spec.endpoint.tls?.caCertificateRefs));
    this.byFallback.set(key, own(object?.spec.fallback));
  }
}
