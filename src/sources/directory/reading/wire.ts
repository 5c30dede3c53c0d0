/**
 * A value on its way to another thread. As JSON it is taken in several times as fast as a structured clone is, and who takes it in is who must not
 * be held up. What JSON does not have, such as a date of YAML 1.1, goes as a clone.
 */
export type Wire = { readonly json: string } | { readonly value: unknown };

export const packed = (value: unknown): Wire => (isJson(value) ? { json: JSON.stringify(value) } : { value });

export const unpacked = (wire: Wire): unknown => ('json' in wire ? JSON.parse(wire.json) : wire.value);

function isJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || isJsonObject(value);
    default:
      return false;
  }
}

function isJsonObject(value: object): boolean {
  if (Array.isArray(value)) return value.every(isJson);
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(isJson);
}
