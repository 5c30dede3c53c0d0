/** Of the SPIFFE ID specification, 2.1: lower-case letters, digits, dots, dashes and underscores. */
const trustDomain = '[a-z0-9._-]{1,255}';
const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const subdomain = `${label}(?:\\.${label})*`;
const gatewayId = new RegExp(`^spiffe://${trustDomain}/gateway/(${label})/((?:class:)?${subdomain})$`);

/** A SPIFFE ID is no longer than this (2.3); a Kubernetes name is 253 characters at most. */
const maxLength = 2048;
const maxName = 253;

/**
 * The Gateway (`NAMESPACE/NAME`), or the shared proxies (`NAMESPACE/class:CLASS`), that `spiffe://TRUST/gateway/NAMESPACE/NAME` names;
 * undefined for any other text. The text is compared as it is: a URL parser would take `/../`, `%2e` and fragments away first,
 * and two texts would be one identity. No other writing of an ID is valid (SPIFFE ID, 2.2 and 2.4).
 */
export function gatewayOfSpiffeId(text: string): string | undefined {
  if (text.length > maxLength) return undefined;
  const [, namespace, name] = gatewayId.exec(text) ?? [];
  if (namespace === undefined || name === undefined) return undefined;
  return name.replace(/^class:/, '').length > maxName ? undefined : `${namespace}/${name}`;
}
