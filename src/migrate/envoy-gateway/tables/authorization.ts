import type { Visit } from '../../kit/table.ts';
import { type Fields, fieldsOf, listOf, textAt, textOf, textsOf } from '../../kit/values.ts';

const known = ['action', 'name', 'operation', 'principal', 'cel'];

/** Rules of authorization. Theirs are judged in their order; here Deny goes before Allow. */
export function rulesOf(value: unknown, visit: Visit): void {
  const made: Fields[] = [];
  let allowed: string | undefined;
  visit.each(value, (rule, at) => {
    const action = textOf(rule.action);
    const name = nameOf(textAt(rule, 'name'), made.length);
    if (action === 'Deny' && allowed !== undefined)
      at.note(
        'differs',
        `goes before the rule ${allowed} here, which was looked at first: what both are for is denied`,
      );
    if (action === 'Allow') allowed ??= name;
    for (const field of Object.keys(rule)) if (!known.includes(field)) at.at(field).lose('is not converted');
    const when = conditionOf(rule, at);
    if (when === undefined) return;
    made.push({ name, action, ...(Object.keys(when).length > 0 && { when }) });
  });
  visit.set('AccessPolicy.authorization.rules', made);
  visit.set('AccessPolicy.authorization.default', visit.draft.get('AccessPolicy.authorization.default') ?? 'Deny');
}

/** Names of rules are labels here. */
const nameOf = (name: string | undefined, index: number): string =>
  (name ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63)
    .replace(/-$/, '') || `rule-${index + 1}`;

/** When a rule is for a request; undefined if there is no word for that. */
function conditionOf(rule: Fields, visit: Visit): Fields | undefined {
  if (rule.cel !== undefined) {
    visit
      .at('cel')
      .lose('names what requests have in other words here: write it as `cel` of a rule of the AccessPolicy');
    return undefined;
  }
  const operation = rule.operation === undefined ? {} : fieldsOf(rule.operation);
  const principal = rule.principal === undefined ? {} : fieldsOf(rule.principal);
  const { clientCIDRs, clientIPGeoLocations, headers, jwt, ...otherPrincipal } = principal;
  const { methods, path, ...otherOperation } = operation;
  const lost = [
    ...Object.keys(otherPrincipal).map((field) => `principal.${field}`),
    ...Object.keys(otherOperation).map((field) => `operation.${field}`),
  ];
  for (const field of lost) visit.at(field).lose('is not converted');
  if (lost.length > 0) return undefined;
  const when: Record<string, unknown> = {};
  if (methods !== undefined) when.methods = textsOf(methods);
  if (clientCIDRs !== undefined) when.clientIPs = textsOf(clientCIDRs);
  if (clientIPGeoLocations !== undefined) {
    const places = placesOf(clientIPGeoLocations, visit.at('principal.clientIPGeoLocations'));
    if (places === undefined) return undefined;
    when.clientLocations = places;
  }
  if (headers !== undefined)
    when.headers = listOf(headers).map((header) => {
      const { name, values } = fieldsOf(header);
      return { name: textOf(name), values: textsOf(values) };
    });
  if (jwt !== undefined) when.jwt = tokenOf(fieldsOf(jwt));
  if (path === undefined) return when;
  const { type = 'PathPrefix', value = '/', invert = false, ...other } = fieldsOf(path);
  const word = { Exact: 'exact', PathPrefix: 'prefix', RegularExpression: 'regex' }[textOf(type)];
  if (word === undefined || Object.keys(other).length > 0) {
    visit.at('operation.path').lose('is not converted');
    return undefined;
  }
  if (invert === true && Object.keys(when).length > 0) {
    visit.at('operation.path.invert').lose('a condition is turned around as a whole here, not its path alone');
    return undefined;
  }
  when.paths = [{ [word]: textOf(value) }];
  if (invert === true) when.not = true;
  return when;
}

/** Places of clients; undefined if databases here do not say what is asked. */
function placesOf(value: unknown, visit: Visit): readonly Fields[] | undefined {
  const places = listOf(value).map(fieldsOf);
  const isKnown = ({ country, region, city, asn, ...others }: Fields): boolean =>
    Object.keys(others).length === 0 && (country !== undefined || (asn !== undefined && !region && !city));
  if (places.length === 0 || !places.every(isKnown)) {
    visit.lose('is not converted: places are a country with region and city, and networks by number');
    return undefined;
  }
  visit.note('decision', 'places are known by databases in the pods of proxies: name them in `geoip` of the DataPlane');
  return places;
}

function tokenOf(jwt: Fields): Fields {
  const { provider, scopes, claims } = jwt;
  return {
    provider: textOf(provider),
    ...(scopes !== undefined && { scopes: textsOf(scopes) }),
    ...(claims !== undefined && {
      claims: listOf(claims).map((claim) => {
        const { name, values } = fieldsOf(claim);
        return { ...claimOf(textOf(name), 'name'), values: textsOf(values) };
      }),
    }),
  };
}

/** A claim by its name, or by its path: theirs have dots for it. */
export const claimOf = (name: string, word: 'claim' | 'name'): Fields =>
  name.includes('.') ? { path: name.split('.') } : { [word]: name };
