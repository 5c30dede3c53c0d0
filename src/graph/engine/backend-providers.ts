import { type KindName, kinds, objectKey } from '../../gateway-api/index.ts';
import { type BackendKeyParts, backendOwner, parseBackendKey } from '../model/index.ts';
import type { BackendProvider } from './backend-provider.ts';

/** What a reference names. */
interface NamedKind {
  readonly group: string;
  readonly kind: string;
}

/** What the module of a kind says of backends. */
interface ProviderModule {
  readonly provider?: BackendProvider;
}

/** The kinds that backends of a source are of: the one that provides them, and the one whose object they belong to. */
interface SourceKinds {
  readonly provider: KindName;
  readonly owner: KindName;
}

/** The kinds that routes forward to. */
export class BackendProviders {
  readonly #providers = new Map<KindName, BackendProvider>();
  readonly #kinds = new Map<string | undefined, SourceKinds>([[undefined, { provider: 'Service', owner: 'Service' }]]);

  constructor(modules: { readonly [K in KindName]?: ProviderModule } = {}) {
    for (const [name, { provider }] of Object.entries(modules)) {
      if (!provider) continue;
      const kind = name as KindName;
      this.#providers.set(kind, provider);
      for (const [source, owner] of Object.entries(provider.sources))
        this.#kinds.set(source, { provider: kind, owner });
    }
  }

  /** By the parts of a backend's key. */
  kindsOf({ source }: Pick<BackendKeyParts, 'source'>): SourceKinds {
    const found = this.#kinds.get(source);
    if (!found) throw new Error(`no kind provides backends of ${source}`);
    return found;
  }

  /** What a backend belongs to, by its key. */
  ownerOf(key: string): string {
    const parts = parseBackendKey(key);
    return backendOwner(this.kindsOf(parts).owner, objectKey(parts.namespace, parts.service));
  }

  /** The provider of a backend, by the parts of its key. */
  of(parts: Pick<BackendKeyParts, 'source'>): BackendProvider {
    return this.get(this.kindsOf(parts).provider);
  }

  /** The provider of a kind. Throws for one that has none. */
  get(kind: KindName): BackendProvider {
    const provider = this.#providers.get(kind);
    if (!provider) throw new Error(`${kind} provides no backends`);
    return provider;
  }

  /** The provider of a kind that may have none. */
  findByName(kind: KindName): BackendProvider | undefined {
    return this.#providers.get(kind);
  }

  /** The provider of what a reference names; undefined for what is no backend that it may name. */
  find({ group, kind }: NamedKind): BackendProvider | undefined {
    const provider =
      kind in kinds && kinds[kind as KindName].group === group ? this.#providers.get(kind as KindName) : undefined;
    return provider?.isUnreferable ? undefined : provider;
  }

  /** Those that references may name, in the order of the registry. */
  kinds(): { readonly name: KindName; readonly group: string }[] {
    const named = [...this.#providers].filter(([, provider]) => !provider.isUnreferable);
    return named.map(([name]) => ({ name, group: kinds[name].group }));
  }
}
