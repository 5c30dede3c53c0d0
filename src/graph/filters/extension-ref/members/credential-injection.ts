import { credentialsLabel, type ObjectByKind } from '../../../../gateway-api/index.ts';
import * as ir from '../../../../ir/index.ts';
import { type StoredObjects, ungranted } from '../../../engine/index.ts';
import { backendKey, type ConditionFault } from '../../../model/index.ts';
import { framingHeader, nameFault } from './header-names.ts';
import { type HttpFilterObject, invalid, type Member, type MemberSpec } from './member.ts';

type Ref = MemberSpec<'credentialInjection'>['secretRef'];
type Secret = ObjectByKind['Secret'];

/** The entry of a Secret that is taken if the filter names none. */
const usualEntry = 'credential';
/** Proxies take headers of 60 KiB together. */
const largestBytes = 8192;

const user = (namespace: string) => ({ group: 'gatewright.dev', kind: 'HTTPFilter', namespace });

export const credentialInjection: Member<'credentialInjection'> = {
  resolve({ header = 'Authorization', prefix = '', secretRef }, { namespace, name, store }) {
    const lower = header.toLowerCase();
    const fault = nameFault(lower) ?? framingHeader(lower);
    if (fault !== undefined) return invalid(`credentialInjection: ${fault}`);
    const found = textOf(secretRef, namespace, store);
    if (typeof found !== 'string') return { referenceFault: found };
    const backend = credentialKey(namespace, name);
    return { parts: { filters: { headerEdits: { credential: { header: lower, prefix, backend } } } } };
  },
};

/** Key of the backend that has the credential of a filter, for proxies to hold. */
const credentialKey = (namespace: string, name: string): string =>
  backendKey(namespace, name, 0, { source: 'credential' });

/** The same, of filters that have one. */
export const credentialKeysOf = ({ metadata: { namespace = '', name }, spec }: HttpFilterObject): readonly string[] =>
  spec.credentialInjection ? [credentialKey(namespace, name)] : [];

/** What the backend of a filter has; undefined where nothing may be taken. */
export function credentialOf({ metadata, spec }: HttpFilterObject, store: StoredObjects): ir.Credential | undefined {
  const ref = spec.credentialInjection?.secretRef;
  const text = ref && textOf(ref, metadata.namespace ?? '', store);
  if (typeof text !== 'string') return undefined;
  return { value: new ir.Sensitive(Buffer.from(text)), version: ir.formatDigest(ir.digestOf({ text })) };
}

/** The Secret that a filter names, or why it is not available. */
export function secretOf({ metadata, spec }: HttpFilterObject, store: StoredObjects): Secret | string | undefined {
  const ref = spec.credentialInjection?.secretRef;
  const found = ref && referred(ref, metadata.namespace ?? '', store);
  return found && 'fault' in found ? found.fault.message : found?.object;
}

/** Keys of the Secrets that a filter names. */
export const secretsOf = ({ metadata, spec }: HttpFilterObject): readonly string[] => {
  const ref = spec.credentialInjection?.secretRef;
  return ref ? [`${ref.namespace ?? metadata.namespace ?? ''}/${ref.name}`] : [];
};

type Referred = { readonly object: Secret } | { readonly fault: ConditionFault };

function referred({ name, namespace: other }: Ref, own: string, store: StoredObjects): Referred {
  const namespace = other ?? own;
  if (!store.allows({ from: user(own), to: { group: '', kind: 'Secret', namespace, name } })) {
    const message = ungranted({ kind: 'Secret', namespace, name, user: user(own) }, store);
    return { fault: { reason: 'RefNotPermitted', message } };
  }
  const object = store.find('Secret', `${namespace}/${name}`);
  return object
    ? { object }
    : { fault: { reason: 'SecretNotFound', message: `Secret ${namespace}/${name} does not exist: create it` } };
}

/** The credential, without the line break that editors put behind it. */
function textOf(ref: Ref, namespace: string, store: StoredObjects): string | ConditionFault {
  const found = referred(ref, namespace, store);
  if ('fault' in found) return found.fault;
  const { metadata, data = {} } = found.object;
  const { key = usualEntry } = ref;
  const where = `Secret ${metadata.namespace}/${metadata.name}`;
  const wrong = (what: string): ConditionFault => ({ reason: 'InvalidSecret', message: `${where} ${what}` });
  // Else users who may write filters could have every key of the namespace sent to a backend of theirs.
  if (key !== usualEntry && metadata.labels?.[credentialsLabel] !== 'true')
    return wrong(
      `lacks the label ${credentialsLabel}: "true", without which no entry but ${usualEntry} is taken from it`,
    );
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (value === undefined) return wrong(`has no entry ${key}`);
  const text = Buffer.from(value, 'base64')
    .toString()
    .replace(/\r?\n$/, '');
  if (text === '' || text.length > largestBytes)
    return wrong(`has ${text.length} bytes in ${key}, and a credential has 1 to ${largestBytes}`);
  return /^[ -~]+$/.test(text) ? text : wrong(`has an entry ${key} with characters that no header may have`);
}
