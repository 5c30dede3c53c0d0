type Json = Readonly<Record<string, unknown>>;

/** Our bootstrap with an addition: objects are merged, lists put behind ours, anything else replaces what is there. */
export function extendBootstrap(ours: Json, addition: Json): Json {
  const added = Object.entries(addition).map(([name, value]) => [name, extend(ours[name], value)] as const);
  return { ...ours, ...Object.fromEntries(added) };
}

function extend(ours: unknown, added: unknown): unknown {
  if (Array.isArray(ours) && Array.isArray(added)) return [...ours, ...added];
  return isObject(ours) && isObject(added) ? extendBootstrap(ours, added) : added;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
