import { credentialsLabel, objectKey } from '../../gateway-api/index.ts';
import type { StoredObjects } from '../../graph/engine/index.ts';
import type { ConditionFault } from '../../graph/model/index.ts';
import type { Policy } from './policy.ts';

type Lua = NonNullable<Policy['spec']['lua']>;

const usualKey = 'script.lua';
/** As the definition has it of `inline`. */
const mostBytes = 32_768;

/** Key of the ConfigMap that has a policy's script; undefined where none has. */
export function scriptMapOf({ metadata, spec }: Policy): string | undefined {
  const ref = spec.lua?.configMapRef;
  return ref && objectKey(metadata.namespace ?? '', ref.name);
}

/** The text of a policy's script, or why there is none. */
export function scriptOf(policy: Policy, { inline, configMapRef }: Lua, store: StoredObjects): string | ConditionFault {
  if (!configMapRef) return inline ?? '';
  const { key = usualKey } = configMapRef;
  const map = scriptMapOf(policy) ?? '';
  const object = store.find('ConfigMap', map);
  if (!object) return { reason: 'ConfigMapNotFound', message: `ConfigMap ${map} does not exist: create it` };
  const source = Object.hasOwn(object.data ?? {}, key) ? (object.data?.[key] ?? '') : '';
  const fault = source === '' ? missing(key, object.metadata.labels) : sizeFault(key, Buffer.byteLength(source));
  return fault === undefined ? source : { reason: 'InvalidConfigMap', message: `ConfigMap ${map} ${fault}` };
}

const sizeFault = (key: string, bytes: number): string | undefined =>
  bytes > mostBytes ? `has ${bytes} bytes as ${key}, and may have ${mostBytes}: shorten the script` : undefined;

function missing(key: string, labels: Readonly<Record<string, string>> = {}): string {
  const isRead = key === usualKey || labels[credentialsLabel] === 'true';
  const advice = isRead
    ? ': add the script'
    : ` (an entry that is not called ${usualKey} is read where the label ${credentialsLabel}: "true" is)`;
  return `has no entry ${key}${advice}`;
}
