import { type KindName, kinds } from '../../gateway-api/index.ts';
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

/** The kinds that routes forward to. */
export class BackendProviders {
  readonly #providers = new Map<KindName, BackendProvider>();

  constructor(modules: { readonly [K in KindName]?: ProviderModule } = {}) {
    for (const [kind, module] of Object.entries(modules))
      if (module.provider) this.#providers.set(kind as KindName, module.provider);
  }

  /** The provider of a kind. Throws for one that has none. */
  get(kind: KindName): BackendProvider {
    const provider = this.#providers.get(kind);
    if (!provider) throw new Error(`${kind} provides no backends`);
    return provider;
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
