/** What the tests ask of etcd itself, over its JSON gateway. Keys and values are in base64. */
export class Etcd {
  readonly #url: string;

  constructor(port: number) {
    this.#url = `http://127.0.0.1:${port}/v3/kv/`;
  }

  /** Forgets every version but the current one, as an API server asks for by itself after some minutes. */
  async compact(): Promise<void> {
    const { header } = await this.#call<{ header: { revision: string } }>('range', { key: encode('a key') });
    await this.#call('compaction', { revision: header.revision, physical: true });
  }

  /** All that an API server keeps, by key. */
  async entries(): Promise<ReadonlyMap<string, string>> {
    const { kvs = [] } = await this.#call<{ kvs?: readonly { key: string; value?: string }[] }>('range', registry);
    return new Map(kvs.map(({ key, value = '' }) => [decode(key), value]));
  }

  async put(key: string, value: string): Promise<void> {
    await this.#call('put', { key: encode(key), value });
  }

  /** The current value, in base64. */
  async get(key: string): Promise<string | undefined> {
    const { kvs = [] } = await this.#call<{ kvs?: readonly { value: string }[] }>('range', { key: encode(key) });
    return kvs[0]?.value;
  }

  /** Many at once, at most 128. */
  async putAll(entries: readonly (readonly [key: string, value: string])[]): Promise<void> {
    const success = entries.map(([key, value]) => ({ request_put: { key: encode(key), value } }));
    await this.#call('txn', { success });
  }

  async delete(key: string): Promise<void> {
    await this.#call('deleterange', { key: encode(key) });
  }

  async #call<T>(path: string, body: object): Promise<T> {
    const response = await fetch(this.#url + path, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`etcd ${path}: ${await response.text()}`);
    return (await response.json()) as T;
  }
}

const encode = (key: string): string => Buffer.from(key).toString('base64');
const decode = (key: string): string => Buffer.from(key, 'base64').toString();

/** `0` is the character after `/`. */
const registry = { key: encode('/registry/'), range_end: encode('/registry0') };
