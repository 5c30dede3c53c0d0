/** What clients have from an earlier stream, by channel, while nothing is published that it could be compared with. */
export class EarlyVersions<Channel> {
  #byChannel = new Map<Channel, ReadonlyMap<string, string>>();
  #names = 0;
  #text = 0;

  /** How many names it holds. */
  get names(): number {
    return this.#names;
  }

  /** How much text, in characters. */
  get text(): number {
    return this.#text;
  }

  /** Versions by name. Only the first of a channel count. */
  add(channel: Channel, versions: ReadonlyMap<string, string>): void {
    if (this.#byChannel.has(channel)) return;
    this.#byChannel.set(channel, versions);
    this.#names += versions.size;
    for (const [name, version] of versions) this.#text += name.length + version.length;
  }

  /** All of it, in the order in which it came; none is held any more. */
  take(): ReadonlyMap<Channel, ReadonlyMap<string, string>> {
    const taken = this.#byChannel;
    this.#byChannel = new Map();
    this.#names = 0;
    this.#text = 0;
    return taken;
  }
}
