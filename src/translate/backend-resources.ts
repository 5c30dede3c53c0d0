import { typeUrls } from '../envoy/index.ts';
import type * as ir from '../ir/index.ts';
import { aiResources } from './ai/index.ts';
import { translateCluster } from './clusters/index.ts';
import type { Draft } from './draft.ts';
import { type Encodings, ofOrigin, placeOf } from './encodings.ts';
import { originOf } from './hosts/index.ts';
import { moduleResources } from './modules/index.ts';
import { namedServerResources } from './named/index.ts';
import { poolResources } from './pools/index.ts';
import {
  backendAuthoritiesName,
  backendCertificateName,
  clusterName,
  type EnvoyResource,
  genericSecret,
  injectedCredentialName,
  loginSecretName,
} from './resource/index.ts';
import { translateAuthorities, translateLoginSecret, translateOwnCertificate } from './secrets/index.ts';

type BackendChange = Extract<ir.Change, { kind: 'backend' }>;
type Named = Pick<EnvoyResource, 'typeUrl' | 'name'>;

/** The clusters of backends, listeners within the proxy that lead to them, and their secrets. */
export class BackendResources {
  readonly #encodings: Encodings;
  /** By gateway and backend, what proxies keep of one that cannot be encoded. */
  readonly #kept = new Map<string, Map<string, readonly Named[]>>();

  constructor(encodings: Encodings) {
    this.#encodings = encodings;
  }

  apply(draft: Draft, change: BackendChange): void {
    const { key, before, after } = change;
    const known = this.#kept.get(draft.gateway);
    const inner = known?.get(key) ?? (before ? innerResources(before) : []);
    const isMade = draft.wholly(...placeOf('backend', key, after), () => {
      this.#setInner(draft, change, inner);
      // What is reached through listeners within the proxy has brought its own cluster, or taken it away.
      if (!hasOwnCluster(after ?? before)) {
        const cluster = this.#encodings.once(after, (backend) =>
          ofOrigin('backend', key, backend, translateCluster(backend)),
        );
        draft.set(typeUrls.cluster, clusterName(key), cluster);
      }
      this.#setSecrets(draft, change);
    });
    if (!isMade) this.#kept.set(draft.gateway, (known ?? new Map()).set(key, inner));
    else known?.delete(key);
  }

  /** The gateway is gone. */
  forget(gateway: string): void {
    this.#kept.delete(gateway);
  }

  /** Several resources, which may be others after a change. */
  #setInner(draft: Draft, { key, after }: BackendChange, before: readonly Named[]): void {
    for (const { typeUrl, name } of before) draft.set(typeUrl, name, undefined);
    for (const resource of after ? innerResources(after) : [])
      draft.set(resource.typeUrl, resource.name, originOf('backend', key, after ?? {}, resource));
  }

  #setSecrets(draft: Draft, { key, before, after }: BackendChange): void {
    const ofBackend = (resource: EnvoyResource | undefined) =>
      resource && originOf('backend', key, after ?? {}, resource);
    if (before?.tls?.ownCertificate ?? after?.tls?.ownCertificate) {
      const certificate = this.#encodings.once(after?.tls?.ownCertificate, () =>
        ofBackend(translateOwnCertificate(key, after?.tls as ir.BackendTls)),
      );
      draft.set(typeUrls.secret, backendCertificateName(key), certificate);
    }
    for (const secret of before?.login || after?.login ? (['client', 'hmac'] as const) : []) {
      const login = after?.login;
      const resource = ofBackend(login && translateLoginSecret(key, secret, login));
      draft.set(typeUrls.secret, loginSecretName(key, secret), resource);
    }
    if (before?.credential ?? after?.credential) {
      const name = injectedCredentialName(key);
      draft.set(typeUrls.secret, name, ofBackend(after?.credential && genericSecret(name, after.credential.value)));
    }
    if (before?.tls?.authorities ?? after?.tls?.authorities) {
      const name = backendAuthoritiesName(key);
      const authorities = this.#encodings.once(after?.tls, (tls) => ofBackend(translateAuthorities(name, tls)));
      draft.set(typeUrls.secret, name, authorities);
    }
  }
}

/** Whether the cluster of a backend leads to listeners within the proxy, and is made with these; or there is none. */
const hasOwnCluster = (backend: ir.Backend | undefined): boolean =>
  backend?.ai?.kind === 'route' ||
  isPool(backend) ||
  backend?.named !== undefined ||
  backend?.pool !== undefined ||
  backend?.module !== undefined;

/** A service whose requests go to the cluster of a pool has none. */
const isPool = (backend: ir.Backend | undefined): boolean =>
  backend?.ai?.kind === 'service' && backend.ai.pool !== undefined;

const innerResources = (backend: ir.Backend): EnvoyResource[] => [
  ...aiResources(backend),
  ...namedServerResources(backend),
  ...poolResources(backend),
  ...moduleResources(backend),
];
