import type { ObjectByKind } from '../../../gateway-api/index.ts';
import { keyOf, objectKey } from '../../../gateway-api/index.ts';
import { type StoredObjects, ungranted } from '../../../graph/engine/index.ts';
import { backendKey, type ConditionFault } from '../../../graph/model/index.ts';
import type * as ir from '../../../ir/index.ts';
import type { Policy } from '../policy.ts';
import { moduleCode } from './code.ts';

type Wasm = NonNullable<Policy['spec']['wasm']>;

/** Key of the ConfigMap that a policy names; undefined where it names none. */
export function configMapKeyOf({ metadata, spec }: Policy): string | undefined {
  const ref = spec.wasm?.configMapRef;
  return ref && objectKey(ref.namespace ?? metadata.namespace ?? '', ref.name);
}

/** Keys of the backend that has a policy's module, for proxies to hold; none of a policy without one. */
export const moduleKeysOf = ({ metadata, spec }: Policy): readonly string[] => (spec.wasm ? [moduleKey(metadata)] : []);

const moduleKey = ({ namespace = '', name }: Policy['metadata']): string =>
  backendKey(namespace, name, 0, { source: 'module' });

/** The code that a policy names, or why there is none. */
export function codeOf(policy: Policy, wasm: Wasm, store: StoredObjects): ir.ModuleCode | ConditionFault {
  const own = policy.metadata.namespace ?? '';
  const { name, namespace = own, key } = wasm.configMapRef;
  const user = { group: 'gatewright.dev', kind: 'ExtensionPolicy', namespace: own };
  if (!store.allows({ from: user, to: { group: '', kind: 'ConfigMap', namespace, name } })) {
    const message = ungranted({ kind: 'ConfigMap', namespace, name, user }, store);
    return { reason: 'RefNotPermitted', message };
  }
  const where = `ConfigMap ${namespace}/${name}`;
  const found = store.find('ConfigMap', objectKey(namespace, name));
  if (!found) return { reason: 'ConfigMapNotFound', message: `${where} does not exist: create it` };
  const code = codeIn(found, key);
  return typeof code === 'string' ? { reason: 'InvalidConfigMap', message: `${where} ${code}` } : code;
}

type ConfigMap = ObjectByKind['ConfigMap'];

/** A module is looked at once, however many policies and builds use it. */
const known = new WeakMap<ConfigMap, Map<string, ir.ModuleCode | string>>();

function codeIn(object: ConfigMap, key: string): ir.ModuleCode | string {
  const codes = known.get(object) ?? new Map<string, ir.ModuleCode | string>();
  known.set(object, codes);
  const before = codes.get(key);
  if (before !== undefined) return before;
  const code = readCode(object, key);
  codes.set(key, code);
  return code;
}

function readCode({ binaryData = {} }: ConfigMap, key: string): ir.ModuleCode | string {
  const text = Object.hasOwn(binaryData, key) ? binaryData[key] : undefined;
  if (text === undefined) return `has no WebAssembly as ${key} in its binaryData`;
  const code = moduleCode(Buffer.from(text, 'base64'));
  return typeof code === 'string' ? `has ${key}, which ${code}` : code;
}

/** What runs by a policy, of the code that it names. */
export function moduleOf(policy: Policy, { rootId = '', config }: Wasm, { digest }: ir.ModuleCode): ir.Module {
  return {
    kind: 'module',
    backend: moduleKey(policy.metadata),
    digest,
    owner: keyOf(policy),
    rootId,
    configuration: config === undefined ? '' : JSON.stringify(config),
    ...(policy.spec.onFailure === 'Allow' && { failOpen: true }),
  };
}
