const units: Readonly<Record<string, number>> = { k: 1e3, M: 1e6, G: 1e9, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** `10Mi`; the definition says how it is written. */
export function bytesOf(text: string): number {
  const [, amount = '', unit = ''] = /^([0-9]+)([a-zA-Z]*)$/.exec(text) ?? [];
  return Number(amount) * (units[unit] ?? 1);
}
