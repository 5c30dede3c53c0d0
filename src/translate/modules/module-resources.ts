import { create } from '@bufbuild/protobuf';
import { typeUrls, WasmModuleSchema } from '../../envoy/index.ts';
import type * as ir from '../../ir/index.ts';
import { type EnvoyResource, moduleName, resourceOf } from '../resource/index.ts';

/** By the module, which is the same object as long as nothing changes it: it is long. */
const known = new WeakMap<ir.ModuleCode, EnvoyResource>();

/** The module of a backend that has one. The agent has it as a file before Envoy gets what names that. */
export function moduleResources({ key, module }: ir.Backend): EnvoyResource[] {
  if (!module) return [];
  const name = moduleName(key, module);
  const before = known.get(module);
  if (before?.name === name) return [before];
  const message = create(WasmModuleSchema, { code: module.code.reveal() });
  const resource = resourceOf(typeUrls.module, name, WasmModuleSchema, message);
  known.set(module, resource);
  return [resource];
}
