import { objectKey } from '../../../gateway-api/index.ts';
import type { StoredObjects } from '../../../graph/engine/index.ts';
import type { ConditionFault } from '../../../graph/model/index.ts';
import * as ir from '../../../ir/index.ts';
import { type LoginSession, loginHmac, loginKey } from '../../../key-sets/index.ts';
import { sensitive } from './credentials.ts';
import { namespaceOf, type Policy, type Spec } from './part.ts';
import { describeData, labelAdvice, referred, secretText } from './referred-data.ts';
import { ownNamespace } from './remote-keys.ts';

type OidcSpec = NonNullable<Spec['oidc']>;

const defaultKey = 'client-secret';

/** Something that a login needs. */
export interface Found<T> {
  readonly value?: T;
  readonly referenceFault?: ConditionFault;
  /** Without a value: it may come without anything being changed. */
  readonly isLate?: true;
}

/** By what the logins of a policy differ from others. */
export const sessionOf = ({ issuer, endpoints, client, session }: OidcSpec, policy: Policy): LoginSession => ({
  namespace: namespaceOf(policy),
  provider: issuer ?? endpoints?.authorization ?? '',
  client: client.id,
  session: session ?? policy.metadata.name,
});

/** What proxies make and check the logins of a policy by. */
export function loginSecretsOf(spec: OidcSpec, policy: Policy, store: StoredObjects): Found<ir.LoginSecrets> {
  const client = clientSecretOf(spec, policy, store);
  const key = keyOfLogins(store);
  if (client.value === undefined) return { ...(client.referenceFault && { referenceFault: client.referenceFault }) };
  if (!key.value) return { isLate: true, ...(key.referenceFault && { referenceFault: key.referenceFault }) };
  const hmac = loginHmac(key.value, sessionOf(spec, policy));
  const version = ir.formatDigest(ir.digestOf({ client: client.value, hmac }));
  return { value: { client: sensitive(client.value), hmac: sensitive(hmac), version } };
}

function clientSecretOf({ client }: OidcSpec, policy: Policy, store: StoredObjects): Found<string> {
  const { secretRef } = client;
  const found = referred('Secret', secretRef, policy, store);
  if ('fault' in found) return { referenceFault: found.fault };
  const { object } = found;
  const key = secretRef.key ?? defaultKey;
  const value = (secretText(object, key) ?? '').replace(/\r?\n$/, '');
  if (/^[ -~]+$/.test(value)) return { value };
  const what = value === '' ? `has no entry ${key}` : `has an entry ${key} with characters that no client secret has`;
  const message = `${describeData('Secret', object)} ${what}${labelAdvice(object, key, defaultKey)}`;
  return { referenceFault: { reason: 'InvalidSecret', message } };
}

/** Of all logins of this install. */
function keyOfLogins(store: StoredObjects): Found<Uint8Array> {
  const key = objectKey(ownNamespace(store), loginKey.name);
  const text = store.find('Secret', key)?.data?.[loginKey.entry];
  const bytes = Buffer.from(text ?? '', 'base64');
  if (bytes.length >= loginKey.leastBytes) return { value: bytes };
  const message =
    text === undefined
      ? `the key of all logins, entry ${loginKey.entry} of Secret ${key}, is not there yet: the leading replica makes it, and its log says what is in the way`
      : `entry ${loginKey.entry} of Secret ${key} has fewer than ${loginKey.leastBytes} bytes: delete the Secret, and a new one is made`;
  return { referenceFault: { reason: 'LoginKeyMissing', message } };
}
