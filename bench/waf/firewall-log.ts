import type { FirewallLine } from '../../scripts/example/firewall.ts';

/** What the firewall says of each transaction. */
export class FirewallLog {
  readonly #rules = new Map<string, Set<number>>();
  readonly #ended = new Map<string, PromiseWithResolvers<void>>();

  take({ msg, transaction = '', rule }: FirewallLine): void {
    if (rule !== undefined) {
      const rules = this.#rules.get(transaction) ?? new Set();
      this.#rules.set(transaction, rules.add(rule));
    } else if (msg === 'end') this.#endOf(transaction).resolve();
  }

  /** Once it has ended. */
  async rulesOf(transaction: string): Promise<ReadonlySet<number>> {
    await this.#endOf(transaction).promise;
    return this.#rules.get(transaction) ?? new Set();
  }

  #endOf(transaction: string): PromiseWithResolvers<void> {
    const end = this.#ended.get(transaction) ?? Promise.withResolvers<void>();
    this.#ended.set(transaction, end);
    return end;
  }
}
