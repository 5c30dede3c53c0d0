/**
 * Keys such as `NAMESPACE/NAME` are taken apart only beside what makes them. Code elsewhere that splits text at a slash or space
 * would go on compiling, and be wrong, when a key gets another shape.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourcesBelow } from './check-imports.ts';
import type { Findings } from './ratchet.ts';

/** Where keys are made and parsed: one file for each layer, or for each kind that has keys of its own. */
const KEY_FILES: ReadonlySet<string> = new Set([
  'src/addons/ai/budgets/budget-key.ts',
  'src/contracts/clusters.ts',
  'src/contracts/filter-chains.ts',
  'src/contracts/listeners.ts',
  'src/contracts/shared-limits.ts',
  'src/controllers/accesspolicy/parts/provider-id.ts',
  'src/controllers/listenerpolicy/edges.ts',
  'src/gateway-api/keys.ts',
  'src/graph/model/keys.ts',
  'src/ingress/native/look-of.ts',
  'src/ir/keys.ts',
  'src/translate/filters/slot-item.ts',
  'src/xds/session/sotw-chains.ts',
]);

/** Texts with slashes or spaces that are no keys, by the file that reads them. */
const NO_KEYS: Readonly<Record<string, string>> = {
  'src/admin/snapshot/envoy-resources.ts': 'type URLs',
  'src/agent/cache/seal.ts': 'the first line of a file',
  'src/agent/envoy/envoy-admin.ts': 'the version of Envoy',
  'src/cli/completion/candidates.ts': 'KIND/NAME as a user types it',
  'src/cli/describe/find-object.ts': 'KIND/NAME as a user writes it',
  'src/cli/get/command.ts': 'KIND/NAME as a user writes it',
  'src/cli/kit/wrap.ts': 'words of a line',
  'src/cli/precheck/check-rights.ts': 'a resource and its subresource',
  'src/controllers/policies/cidr.ts': 'ranges of addresses',
  'src/controllers/accesspolicy/parts/path-segments.ts': 'the path of a URL',
  'src/egress/address-rules.ts': 'ranges of addresses',
  'src/egress/embedded-addresses.ts': 'ranges of addresses',
  'src/graph/filters/external-auth/external-auth.ts': 'the path of a URL',
  'src/ingress/model/access.ts': 'ranges of addresses',
  'src/ingress/model/request-path.ts': 'paths of requests',
  'src/sources/directory/edit/document-text.ts': 'the version of an API',
  'src/sources/directory/validate/cel-value.ts': 'a list of words',
  'src/sources/directory/validate/json-schema.ts': 'JSON pointers',
  'src/translate/clusters/egress-filters.ts': 'ranges of addresses',
  'src/translate/hosts/fallthrough.ts': 'an expression that Envoy evaluates',
  'src/translate/hosts/partition-host.ts': 'paths of requests',
  'src/translate/listeners/semantic-fields.ts': 'an expression that Envoy evaluates',
};

const PARSING = /\.(?:split|indexOf|lastIndexOf)\(\s*(?:'[/ ]'|"[/ ]"|`[/ ]`|\/\\\/\/)/g;

/** The places of a source that take text apart at a slash or space, one line each. */
export function keyParsingOf(file: string, source: string): readonly string[] {
  return [...source.matchAll(PARSING)].map(({ 0: found, index }) => {
    const line = source.slice(0, index).split('\n').length;
    return `${file}:${line}: ${found}…): use parse… of the file that makes the key, or list the file in scripts/check-keys.ts`;
  });
}

/** All such places of src outside the files of keys, and listed files that have none. */
export function checkKeys(root: string): Findings {
  const found = new Map(
    sourcesBelow(root, 'src').map(
      (file) => [file, keyParsingOf(file, readFileSync(join(root, file), 'utf8'))] as const,
    ),
  );
  const idle = [...KEY_FILES, ...Object.keys(NO_KEYS)].filter((file) => !found.get(file)?.length);
  return {
    'keys parsed outside the files that make them': [...found]
      .filter(([file]) => !KEY_FILES.has(file) && !(file in NO_KEYS))
      .flatMap(([, places]) => places),
    'files listed in scripts/check-keys.ts that parse nothing': idle,
  };
}
