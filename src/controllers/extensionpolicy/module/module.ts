import { imageKey, type ModuleImage, moduleFileKey, readReference } from '../../../contracts/index.ts';
import { type HostRules, hostFault } from '../../../egress/index.ts';
import type { ObjectByKind } from '../../../gateway-api/index.ts';
import { keyOf, objectKey } from '../../../gateway-api/index.ts';
import { type FoundCode, type StoredObjects, ungranted } from '../../../graph/engine/index.ts';
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

/** The image that a policy names; undefined where it names none. */
export function imageOf({ metadata: { namespace = '' }, spec }: Policy): ModuleImage | undefined {
  const image = spec.wasm?.image;
  if (!image) return undefined;
  const { reference, secretRef, caCertificateRef } = image;
  return {
    namespace,
    reference,
    ...(secretRef && { secret: secretRef.name }),
    ...(caCertificateRef && { authority: caCertificateRef.name }),
  };
}

/** Why nothing is pulled for an image, before its registry is asked: that is held against the rules for all hosts that users write. */
export function imageFault({ namespace, reference }: ModuleImage, hosts: HostRules): ConditionFault | undefined {
  const registry = readReference(reference)?.registry;
  if (registry === undefined || !URL.canParse(`https://${registry}`)) {
    const message = `${JSON.stringify(reference)} is no reference to an image: write REGISTRY/REPOSITORY@sha256:DIGEST`;
    return { reason: 'Invalid', message };
  }
  const fault = hostFault(new URL(`https://${registry}`).hostname, namespace, hosts);
  return (
    fault && { reason: 'HostnameNotAllowed', message: `the registry is ${fault.message}: nothing is pulled there` }
  );
}

/** Keys of the backend that has a policy's module, for proxies to hold; none of a policy without one. */
export const moduleKeysOf = ({ metadata, spec }: Policy): readonly string[] => (spec.wasm ? [moduleKey(metadata)] : []);

const moduleKey = ({ namespace = '', name }: Policy['metadata']): string =>
  backendKey(namespace, name, 0, { source: 'module' });

/** The code that a policy names, or why there is none. */
export function codeOf(policy: Policy, { configMapRef, file }: Wasm, store: StoredObjects): FoundCode {
  const image = imageOf(policy);
  if (image) return imageFault(image, store.hosts) ?? store.codeOf(imageKey(image)) ?? notPulled(image.reference);
  if (file) return store.codeOf(moduleFileKey(file)) ?? notRead(file);
  // The definition demands one of them.
  return mappedCode(policy, configMapRef ?? { name: '', key: '' }, store);
}

/** What the code of a policy is kept by, where that is no object. */
export function codeKeysOf(policy: Policy): readonly string[] {
  const image = imageOf(policy);
  const { file } = policy.spec.wasm ?? {};
  return [...(image ? [imageKey(image)] : []), ...(file ? [moduleFileKey(file)] : [])];
}

/** `why`: the end of a sentence; undefined: it was not tried yet. */
export const notRead = (file: string, why = 'is not read yet'): ConditionFault => ({
  reason: 'FileNotRead',
  message: `file ${file} of the control plane ${why}`,
});

/** `why`: the end of a sentence; undefined: it was not tried yet. */
export const notPulled = (reference: string, why?: string): ConditionFault => ({
  reason: 'ImageNotPulled',
  message: why === undefined ? `image ${reference} is not pulled yet` : `image ${reference} cannot be used: ${why}`,
});

function mappedCode(policy: Policy, ref: NonNullable<Wasm['configMapRef']>, store: StoredObjects): FoundCode {
  const own = policy.metadata.namespace ?? '';
  const { name, namespace = own, key } = ref;
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
