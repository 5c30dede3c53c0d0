import { createHash } from 'node:crypto';
import * as ir from '../../../ir/index.ts';
import { type ModuleMembers, membersOf, membersOfMany } from './compile.ts';
import { withMemoryBound } from './memory.ts';

/** Versions of the Proxy-Wasm ABI that modules may be made for, as Envoy 1.36 to 1.40 have them. */
const versions = ['0_2_0', '0_2_1'];
/** What modules find their functions in: those of proxies, and the part of WASI that proxies have. */
const providers = ['env', 'wasi_snapshot_preview1', 'wasi_unstable'];
/** By which proxies hand over what they say. */
const allocators = ['proxy_on_memory_allocate', 'malloc'];

/** The code as proxies get it, with bounded memory; or why they can run none, as the end of a sentence. */
export function moduleCode(bytes: Uint8Array): ir.ModuleCode | string {
  try {
    return codeWith(bytes, membersOf(bytes));
  } catch (error) {
    return invalid(error);
  }
}

/** The same of bytes that may be many: they are compiled beside the control plane's other work. */
export async function pulledModuleCode(bytes: Uint8Array): Promise<ir.ModuleCode | string> {
  try {
    return codeWith(bytes, await membersOfMany(bytes));
  } catch (error) {
    return invalid(error);
  }
}

const invalid = (error: unknown): string => `is no valid WebAssembly: ${(error as Error).message}`;

function codeWith(bytes: Uint8Array, members: ModuleMembers): ir.ModuleCode | string {
  const lack = lackOf(members);
  if (lack !== undefined) return lack;
  const code = withMemoryBound(bytes);
  if (typeof code === 'string') return code;
  return { code: new ir.Sensitive(code), digest: createHash('sha256').update(code).digest('hex') };
}

/** What a proxy misses in it. */
function lackOf({ exports, imports }: ModuleMembers): string | undefined {
  if (!versions.some((version) => exports.has(`proxy_abi_version_${version}`)))
    return 'is not made for the Proxy-Wasm ABI 0.2.0 or 0.2.1: build it with an SDK of that';
  if (!allocators.some((name) => exports.has(name)))
    return `exports neither ${allocators.join(' nor ')}, by which proxies hand over what they say`;
  const foreign = imports.find((each) => !providers.includes(each.module));
  return foreign && `imports ${foreign.module}.${foreign.name}, which no proxy has`;
}
