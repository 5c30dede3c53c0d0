import { annotated, type Finding } from '../finding.ts';
import type { SettingsOf } from '../settings-of.ts';
import type { Placed } from './external-auth.ts';
import { type Fields, nothing, only, type Part } from './part.ts';

/** Lines that our proxies can check. */
const known = /^[^:]+:(?:\$2[aby]\$|\$apr1\$|\{SHA\})/;

/** `auth-type: basic`. */
export function passwords(settings: SettingsOf, { namespace, secretText }: Placed): Part {
  const type = settings.get('auth-type').toLowerCase();
  if (type === '') return nothing;
  if (type === 'digest')
    return only(annotated('auth-type', 'cannot', 'digest: passwords are demanded as basic auth only'));
  const [, home = namespace, name = ''] = /^(?:([^/]+)\/)?([^/]*)$/.exec(settings.get('auth-secret')) ?? [];
  if (name === '') return only(annotated('auth-secret', 'cannot', 'it names no Secret, so its paths answer 503 today'));
  if (home !== namespace && settings.config['allow-cross-namespace-resources']?.trim() !== 'true')
    return only(
      annotated(
        'auth-secret',
        'cannot',
        `Secret ${home}/${name} is of another namespace, which the controller does not take: its paths answer 503 today`,
      ),
    );
  if (settings.get('auth-secret-type') === 'auth-map')
    return only(
      annotated('auth-secret-type', 'cannot', `make of Secret ${home}/${name} one entry \`auth\` with lines USER:HASH`),
    );
  const realm = settings.get('auth-realm').replaceAll(/^"|"$/g, '');
  return {
    findings: [
      annotated('auth-type'),
      ...realmFinding(realm),
      ...userFindings(`${home}/${name}`, secretText(home, name, 'auth')),
    ],
    ...(home !== namespace && { grants: [{ from: 'AccessPolicy', to: 'Secret', namespace: home, name }] }),
    access: { basicAuth: basicAuth({ namespace, home, name, realm }) },
  };
}

const realmForm = /^[-A-Za-z0-9 ._~!()*+,;=:@/]+$/;

function basicAuth({
  namespace,
  home,
  name,
  realm,
}: {
  readonly namespace: string;
  readonly home: string;
  readonly name: string;
  readonly realm: string;
}): Fields {
  return {
    secretRef: { name, ...(home !== namespace && { namespace: home }), key: 'auth' },
    ...(realmForm.test(realm) && { realm }),
  };
}

const realmFinding = (realm: string): readonly Finding[] =>
  realm === '' || realmForm.test(realm) ? [] : [annotated('auth-realm', 'differs', `${realm}: the realm is left out`)];

/** Users whose hash no proxy can check: they could not come in. */
function userFindings(secret: string, text: string | undefined): readonly Finding[] {
  const odd = (text ?? '')
    .split(/\r?\n/)
    .filter((line) => line.includes(':') && !line.startsWith('#') && !known.test(line));
  if (odd.length === 0) return [];
  const names = odd.map((line) => line.slice(0, line.indexOf(':')).slice(0, 64));
  const shown = names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '');
  return [
    annotated('auth-secret', 'decision', `Secret ${secret}: these users need a new hash, by \`htpasswd -B\`: ${shown}`),
  ];
}
