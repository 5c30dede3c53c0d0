import type { Table, Visit } from '../../kit/table.ts';
import { type Fields, fieldsOf, textsOf } from '../../kit/values.ts';
import { serverFields, serverOf } from './backend-ref.ts';
import { targetFields } from './targets.ts';
import { luaRule, wasmRule } from './user-code.ts';

/**
 * An EnvoyExtensionPolicy: each script, processor and module is an ExtensionPolicy of its own, which the draft has as `Extensions.list`, in the order in
 * which Envoy Gateway has requests pass them.
 */
export const envoyExtensionPolicy: Table = {
  ...targetFields,
  lua: luaRule,
  extProc: {
    by: processorsOf,
    knows: [
      ...serverFields.map((field) => `[].${field}`),
      '[].failOpen',
      '[].messageTimeout',
      '[].metadata',
      '[].shadowMode',
      '[].statusOnError',
      ...['allowModeOverride', 'request', 'response'].map((field) => `[].processingMode.${field}`),
    ],
  },
  wasm: wasmRule,
  dynamicModule: { cannot: 'there are no dynamic modules here' },
};

const statuses = [403, 429, 500, 502, 503, 504];

function processorsOf(value: unknown, visit: Visit): void {
  visit.each(value, (processor, at) => {
    const { failOpen, messageTimeout, metadata, processingMode = {}, shadowMode, statusOnError = 500 } = processor;
    const backendRef = serverOf(processor, at);
    if (backendRef === undefined) return;
    const mode = fieldsOf(processingMode);
    if (mode.allowModeOverride === true)
      at.at('processingMode.allowModeOverride').lose('a processor gets what the policy says');
    if (!statuses.includes(statusOnError as number))
      at.at('statusOnError').note('differs', '503 is answered where a request cannot be processed');
    const names = metadata === undefined ? {} : fieldsOf(metadata);
    if (names.writableNamespaces !== undefined)
      at.at('metadata.writableNamespaces').lose('a processor writes no metadata');
    const known = names.accessibleNamespaces === undefined ? [] : textsOf(names.accessibleNamespaces);
    for (const name of known.filter((each) => each !== tokens))
      at.at('metadata.accessibleNamespaces').lose(`${name} is not given to processors`);
    visit.draft.push('Extensions.list', {
      onFailure: failOpen === true ? 'Allow' : 'Reject',
      extProc: {
        backendRef,
        request: partOf(mode.request, at.at('processingMode.request')),
        response: partOf(mode.response, at.at('processingMode.response')),
        ...(known.includes(tokens) && { metadata: [tokens] }),
        timeout: messageTimeout ?? '200ms',
        ...(statuses.includes(statusOnError as number) && { statusOnError }),
        ...(shadowMode === true && { shadow: true }),
      },
    });
  });
}

const tokens = 'envoy.filters.http.jwt_authn';

/** A part that is not named is not sent at all. */
function partOf(value: unknown, visit: Visit): Fields {
  if (value === undefined) return { headers: 'Skip' };
  const { body, attributes } = fieldsOf(value);
  if (body === 'FullDuplexStreamed') visit.at('body').lose('bodies are not sent in both directions at once');
  return {
    ...(body !== undefined && body !== 'FullDuplexStreamed' && { body }),
    ...(attributes !== undefined && { attributes: textsOf(attributes) }),
  };
}
