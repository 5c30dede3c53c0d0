/** nginx's `8k`, `1m` or `512` as a quantity of ours, such as `1Mi`; undefined for no limit. */
export function quantityOf(size: string): string | undefined {
  const [, digits = '0', unit = ''] = /^(\d+)([bkmg]?)$/i.exec(size.trim()) ?? [];
  const number = Number(digits);
  if (number === 0 || number > 999_999_999) return undefined;
  const suffix = { k: 'Ki', m: 'Mi', g: 'Gi' }[unit.toLowerCase()] ?? '';
  return `${number}${suffix}`;
}
