const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Whether two of Kubernetes' quantities are as much: the API server writes `0.5` as `500m` and `1024Mi` as `1Gi`. */
export function isSameQuantity(one: unknown, other: unknown): boolean {
  const [a, b] = [worthOf(one), worthOf(other)];
  // Binary fractions of decimal ones differ in the last digits.
  return a !== undefined && b !== undefined && Math.abs(a - b) <= Math.abs(a) * 1e-12;
}

function worthOf(quantity: unknown): number | undefined {
  const [, number, suffix = ''] = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z]{0,2})$/.exec(String(quantity)) ?? [];
  const factor = factors[suffix];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}
