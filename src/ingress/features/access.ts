import { entriesOf } from '../annotations/index.ts';
import { annotated, type Finding } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import { withoutHostBits } from '../values/network.ts';
import { externalAuth, type Placed } from './external-auth.ts';
import { type Fields, nothing, only, type Part } from './part.ts';
import { passwords } from './passwords.ts';

/** Who may come in: addresses, passwords, a server that is asked. What has no equivalent here blocks. */
export function access(settings: SettingsOf, placed: Placed): Part {
  const parts = [addresses(settings), passwords(settings, placed), externalAuth(settings, placed)];
  const fields = Object.assign({}, ...parts.map((part) => part.access)) as Fields;
  const findings = parts.flatMap((part) => part.findings);
  const more = {
    grants: parts.flatMap((part) => part.grants ?? []),
    external: parts.flatMap((part) => part.external ?? []),
  };
  if (settings.get('satisfy').toLowerCase() !== 'any' || Object.keys(fields).length < 2)
    return { findings, access: fields, ...more };
  return { ...either(fields, findings), ...more };
}

/** `satisfy: any`: clients with an address of the list are not asked about. */
function either(fields: Fields, findings: readonly Finding[]): Part {
  const { forwardAuth, clientIPs, ...others } = fields;
  if (forwardAuth === undefined)
    return { findings: [...findings, annotated('satisfy')], access: { satisfy: 'Any', ...fields } };
  const { allow, ...deny } = (clientIPs ?? {}) as Fields;
  const isPlain = Object.keys(others).length === 0 && Array.isArray(allow) && allow.length <= mostExcepted;
  if (!isPlain)
    return only(
      ...findings,
      annotated(
        'satisfy',
        'cannot',
        `an address of a list of up to ${mostExcepted} or the consent of a server is all that there are words for`,
      ),
    );
  const access = {
    ...(Object.keys(deny).length > 0 && { clientIPs: deny }),
    forwardAuth: { ...(forwardAuth as Fields), exceptClientIPs: allow },
  };
  return { findings: [...findings, annotated('satisfy')], access };
}

/** Networks of forwardAuth.exceptClientIPs. */
const mostExcepted = 256;

/** Most networks of a policy. */
const mostNetworks = 1_024;

function addresses(settings: SettingsOf): Part {
  const lists = [
    ['allow', 'allowlist-source-range'],
    ['deny', 'denylist-source-range'],
  ] as const;
  const used = lists.flatMap(([field, name]) => {
    const networks = entriesOf(settings.get(name)).map(withoutHostBits);
    return networks.length === 0 ? [] : [{ field, name, networks: [...new Set(networks)] }];
  });
  if (used.length === 0) return nothing;
  const large = used.find(({ networks }) => networks.length > mostNetworks);
  if (large)
    return only(
      annotated(large.name, 'cannot', `it has ${large.networks.length} networks, of at most ${mostNetworks}`),
    );
  return {
    findings: used.map(({ name }) => annotated(name)),
    access: { clientIPs: Object.fromEntries(used.map(({ field, networks }) => [field, networks])) },
  };
}
