/** Variables of nginx, by what a header's value has for them. */
const variables: Readonly<Record<string, string>> = {
  remote_addr: 'DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT',
  http_host: 'REQ(:AUTHORITY)',
  scheme: 'REQ(:SCHEME)',
  request_method: 'REQ(:METHOD)',
  server_protocol: 'PROTOCOL',
  ssl_protocol: 'DOWNSTREAM_TLS_VERSION',
  req_id: 'REQ(X-REQUEST-ID)',
  request_id: 'REQ(X-REQUEST-ID)',
};

/** Of questions about requests, which leave before a path is rewritten. */
export const questionVariables: Readonly<Record<string, string>> = {
  host: 'REQ(:AUTHORITY)',
  best_http_host: 'REQ(:AUTHORITY)',
  request_uri: 'REQ(:PATH)',
  pass_access_scheme: 'REQ(X-FORWARDED-PROTO)',
};

/** A value with variables of nginx as headers here have it; undefined if one of them has no equivalent, or the value is none of a header. */
export function valueText(value: string, more: Readonly<Record<string, string>> = {}): string | undefined {
  let isKnown = true;
  const text = value.replaceAll('%', '%%').replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
    const operator = operatorOf(braced ?? bare ?? '', more);
    isKnown &&= operator !== undefined;
    return `%${operator}%`;
  });
  return isKnown && !text.includes('$') && /^[\x20-\x7e]+$/.test(text) ? text : undefined;
}

function operatorOf(variable: string, more: Readonly<Record<string, string>>): string | undefined {
  const known = [variables, more].find((each) => Object.hasOwn(each, variable));
  if (known) return known[variable];
  const header = /^http_([a-z0-9_]+)$/.exec(variable)?.[1];
  return header && `REQ(${header.replaceAll('_', '-')})`;
}
