interface ConfigDump {
  readonly configs: readonly Readonly<Record<string, unknown>>[];
}

type Json = Readonly<Record<string, unknown>>;

/** What an agent's Envoy has from its control plane, as text by type and name. Its own versions and times are left out. */
export async function servedResources(agent: string, token: string): Promise<ReadonlyMap<string, string>> {
  const { configs } = await jsonOf<ConfigDump>(`${agent}/api/v1/config?raw=true`, token);
  const found = new Map<string, string>();
  for (const config of configs)
    for (const [part, list] of Object.entries(config)) {
      // A secret that nothing has sent is asked for as long as a listener that drains names it.
      if (!part.startsWith('dynamic_') || part === 'dynamic_warming_secrets' || !Array.isArray(list)) continue;
      for (const entry of (list as readonly Json[]).flatMap(scopesOf)) {
        // A listener that is removed only drains.
        if (part === 'dynamic_listeners' && !('active_state' in entry)) continue;
        found.set(`${part} ${nameOf(entry)}`, JSON.stringify(withoutTimes(entry)));
      }
    }
  return found;
}

/** Throws with the answer where it is no success. */
export async function jsonOf<T>(url: string, token: string): Promise<T> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Envoy dumps all scopes of a connection manager as one entry, whose name they share. */
function scopesOf(entry: Json): readonly Json[] {
  const scopes = entry.scoped_route_configs;
  return Array.isArray(scopes) ? scopes : [entry];
}

/** Where the one has something else than the other, with what stands around that. */
export function differenceOf(one: string, other: string): string {
  let at = 0;
  while (one[at] === other[at]) at += 1;
  const excerpt = (text: string) => text.slice(Math.max(0, at - 60), at + 120);
  return `${excerpt(one)} … against … ${excerpt(other)}`;
}

function nameOf(entry: Json): string {
  for (const [key, value] of Object.entries(entry)) {
    if ((key === 'name' || key === 'cluster_name') && typeof value === 'string') return value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const name = nameOf(value as Json);
    if (name !== '') return name;
  }
  return '';
}

const left: ReadonlySet<string> = new Set([
  'version_info',
  'last_updated',
  'client_status',
  'error_state',
  'draining_state',
]);

function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== 'object' || value === null) return value;
  // Envoy dumps the entries of a map in no order.
  const kept = Object.entries(value)
    .filter(([key]) => !left.has(key))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutTimes(each)]));
}
