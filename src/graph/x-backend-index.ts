import { authorityKey } from './certificates/authorities.ts';
import { ReverseIndex } from './engine/reverse-index.ts';
import { authoritiesOfXBackend, secretOfXBackend, type XBackendObject } from './x-backend.ts';

/** Which XBackends refer to what, read from the specs alone. Keys are object keys. */
export class XBackendIndex {
  readonly bySecret = new ReverseIndex();
  /** By authorityKey. */
  readonly byAuthority = new ReverseIndex();
  /** By the namespace whose ReferenceGrants decide. */
  readonly byGrantNamespace = new ReverseIndex();
  /** Those that select Pods, by the namespace they do it in. */
  readonly selectingIn = new ReverseIndex();

  set(key: string, object: XBackendObject | undefined): void {
    const secret = object && secretOfXBackend(object);
    const namespace = object?.metadata.namespace ?? '';
    const secretNamespace = secret?.slice(0, secret.indexOf('/'));
    this.bySecret.set(key, secret ? [secret] : []);
    this.byAuthority.set(key, object ? [...new Set(authoritiesOfXBackend(object).map(authorityKey))] : []);
    this.byGrantNamespace.set(key, secretNamespace && secretNamespace !== namespace ? [secretNamespace] : []);
    this.selectingIn.set(key, object?.spec.endpointSelector ? [namespace] : []);
  }
}
