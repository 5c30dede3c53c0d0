/**
 * What Envoy asks the agent's name server for in place of a host that a request named: the host with one of these behind it. It says how the
 * host is judged. Without our agent there is no such name, so that nothing is reached.
 */
const suffixes = { public: '.public.named.gatewright.internal', any: '.any.named.gatewright.internal' } as const;

/** What is put behind a host that requests name. */
export const namedServerSuffix = (reachesPrivate: boolean): string => (reachesPrivate ? suffixes.any : suffixes.public);

/** Takes apart a name that is asked for, in lower case without a dot at the end; undefined: no request named it. */
export function parseNamedServer(
  name: string,
): { readonly host: string; readonly reachesPrivate: boolean } | undefined {
  const found = Object.values(suffixes).find((suffix) => name.endsWith(suffix));
  return found && { host: name.slice(0, -found.length), reachesPrivate: found === suffixes.any };
}
