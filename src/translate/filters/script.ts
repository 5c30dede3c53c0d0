import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { LuaSchema, packAny } from '../../envoy/index.ts';
import { compositeWith, type Matcher, slotWith } from './slot.ts';

/** A filter that runs a script of ours. The request keeps its route, which was chosen, and guarded, by what the client sent. */
export const scriptFilter = (script: string): Any =>
  packAny(
    LuaSchema,
    create(LuaSchema, {
      defaultSourceCode: { specifier: { case: 'inlineString', value: script } },
      clearRouteCache: false,
    }),
  );

/** A slot that has such a filter, once for all routes: a copy in each would take 180 KB. */
export interface ScriptSlot {
  /** `everywhere`: it runs on routes that do not name it, too. */
  readonly slot: (everywhere: boolean) => Any;
  /** The same, which on routes that do not name it does what the matcher says. */
  readonly withMatcher: (matcher: Matcher) => Any;
}

export const scriptSlot = (name: string, script: string): ScriptSlot => ({
  slot: (everywhere) => slotWith(name, scriptFilter(script), everywhere),
  withMatcher: (matcher) =>
    compositeWith(matcher, new Map([[name, { filters: [{ name, typedConfig: scriptFilter(script) }] }]])),
});
