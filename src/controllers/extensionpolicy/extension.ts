import { keyOf } from '../../gateway-api/index.ts';
import type { FilterContent, Store, UserCode } from '../../graph/engine/index.ts';
import type { ConditionFault } from '../../graph/model/index.ts';
import * as ir from '../../ir/index.ts';
import { madeOnce } from '../policies/index.ts';
import { codeOf, moduleOf } from './module/index.ts';
import type { Policy } from './policy.ts';
import { processorOf, processorTarget } from './processor.ts';
import { scriptOf } from './script.ts';

/** What a policy comes to, or why it is not available. */
interface ResolvedExtension {
  readonly value?: ir.Extension;
  /** What it refers to is not there. */
  readonly fault?: ConditionFault;
  /** Proxies do not run what it is. */
  readonly off?: ConditionFault;
}

/** `clientCertificate`: key of the ir.Secret that the Gateway's proxies show to backends. */
export function extensionOf(policy: Policy, clientCertificate: string | undefined, store: Store): ResolvedExtension {
  const { extProc, lua, wasm } = policy.spec;
  if (lua) return scriptBy(policy, lua, store);
  if (wasm) return moduleBy(policy, wasm, store);
  // The definition demands one of them.
  if (!extProc) return {};
  const target = processorTarget(policy, extProc, clientCertificate, store);
  if ('fault' in target) return { fault: target.fault };
  const { key: backend, host } = target;
  const value = madeOnce(policy, `extension ${clientCertificate ?? ''}`, [backend, host], () =>
    processorOf(policy, extProc, { backend, host }),
  );
  return { value };
}

function scriptBy(policy: Policy, lua: NonNullable<Policy['spec']['lua']>, store: Store): ResolvedExtension {
  if (!store.userCode.lua) return { off: switchedOff('scripts', 'lua') };
  const source = scriptOf(policy, lua, store);
  if (typeof source !== 'string') return { fault: source };
  const value = madeOnce(
    policy,
    'script',
    [source],
    (): ir.Script => ({ kind: 'script', source, ...(policy.spec.onFailure === 'Allow' && { failOpen: true }) }),
  );
  return { value };
}

function moduleBy(policy: Policy, wasm: NonNullable<Policy['spec']['wasm']>, store: Store): ResolvedExtension {
  if (!store.userCode.wasm) return { off: switchedOff('modules', 'wasm') };
  const code = codeOf(policy, wasm, store);
  if ('reason' in code) return { fault: code };
  return { value: madeOnce(policy, 'module', [code.digest], () => moduleOf(policy, wasm, code)) };
}

const switchedOff = (what: string, key: keyof UserCode): ConditionFault => ({
  reason: 'Invalid',
  message: `${what} are switched off: the operator has not set extensions.${key} in the configuration of the control plane`,
});

/** The member of the policy that says what it is. */
export const extensionName = ({ spec }: Policy): 'extProc' | 'lua' | 'wasm' =>
  spec.lua ? 'lua' : spec.wasm ? 'wasm' : 'extProc';

/** Whether requests go on without the extension where it is not available. */
export const mayBeMissing = ({ spec: { onFailure, extProc } }: Policy): boolean =>
  onFailure === 'Allow' || extProc?.shadow === true;

/** What stands in a policy's place: an extension that is not available lets no request pass, unless it may be missing. */
export function contentOf(
  policy: Policy,
  clientCertificate: string | undefined,
  store: Store,
): ir.Extension | 'closed' | undefined {
  const { value } = extensionOf(policy, clientCertificate, store);
  return value ?? (mayBeMissing(policy) ? undefined : 'closed');
}

/** How proxies and the status of the policy call it. */
export function contentsOf(
  policy: Policy,
  clientCertificate: string | undefined,
  store: Store,
): readonly FilterContent[] {
  const { value } = extensionOf(policy, clientCertificate, store);
  const key = ir.extensionKey(keyOf(policy));
  return value ? [{ kind: 'traffic', key, name: extensionName(policy), digest: () => ir.digestOf(value) }] : [];
}
