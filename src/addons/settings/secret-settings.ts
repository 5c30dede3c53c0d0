import { kinds } from '../../gateway-api/index.ts';
import { type KubeClient, KubeError } from '../../kube/index.ts';
import { SettingsError, type SettingsStore } from './settings-store.ts';

export interface SecretSettingsOptions {
  readonly client: Pick<KubeClient, 'find' | 'patch'>;
  readonly namespace: string;
  /** Of the Secret, which has to exist: installing brings it, so that no right to create Secrets is needed. */
  readonly name: string;
  /** Milliseconds, never backwards. */
  readonly clock?: () => number;
}

/** How long what was read is good for, in milliseconds: other replicas write too. */
const freshMs = 5000;
const timeoutMs = 5000;

interface SecretObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** Settings as entries of one Secret, which all replicas share. */
export class SecretSettings implements SettingsStore {
  readonly place: string;
  readonly #options: SecretSettingsOptions;
  readonly #clock: () => number;
  #known: { readonly at: number; readonly data: Promise<SecretObject['data']> } | undefined;

  constructor(options: SecretSettingsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.place = `Secret ${options.namespace}/${options.name}`;
  }

  async read(name: string): Promise<unknown> {
    const text = (await this.#data())?.[entryOf(name)];
    if (text === undefined || text === '') return undefined;
    try {
      return JSON.parse(Buffer.from(text, 'base64').toString('utf8'));
    } catch (error) {
      const advice = 'remove the entry, and set it again';
      throw new SettingsError('unavailable', `${entryOf(name)} of ${this.place} is no JSON; ${advice}`, error);
    }
  }

  async write(name: string, value: object): Promise<void> {
    const { client } = this.#options;
    const data = { [entryOf(name)]: Buffer.from(JSON.stringify(value)).toString('base64') };
    try {
      const { data: written } = await client.patch<SecretObject>(kinds.Secret, this.#options, { data }, { timeoutMs });
      this.#known = { at: this.#clock(), data: Promise.resolve(written) };
    } catch (error) {
      this.#known = undefined;
      throw this.#fault('written', error);
    }
  }

  #data(): Promise<SecretObject['data']> {
    if (this.#known !== undefined && this.#clock() - this.#known.at < freshMs) return this.#known.data;
    const known = { at: this.#clock(), data: this.#ask() };
    this.#known = known;
    known.data.catch(() => {
      if (this.#known === known) this.#known = undefined;
    });
    return known.data;
  }

  async #ask(): Promise<SecretObject['data']> {
    const { client } = this.#options;
    try {
      return (await client.find<SecretObject>(kinds.Secret, this.#options, { timeoutMs }))?.data;
    } catch (error) {
      throw this.#fault('read', error);
    }
  }

  #fault(verb: 'read' | 'written', error: unknown): unknown {
    if (!(error instanceof KubeError)) return error;
    const said = error.body?.message ?? error.message;
    if (error.code === 'not-found')
      return new SettingsError('unavailable', `${this.place} does not exist: create it, empty, as manifests/ does`);
    const code = error.code === 'forbidden' ? 'forbidden' : 'unavailable';
    return new SettingsError(code, `${this.place} cannot be ${verb}: ${said}`, error);
  }
}

const entryOf = (name: string): string => `${name}.json`;
