import type { AdminSources } from '../../admin/index.ts';
import { ObjectValidator } from '../../sources/index.ts';

/** Schemas of the definitions in some directories, which are read when one is first asked for: hardly any control plane needs them. */
export function kindSchemas(definitions: () => readonly string[]): AdminSources['schemaOf'] {
  let loading: Promise<ObjectValidator> | undefined;
  return async (kind) => {
    loading ??= ObjectValidator.load(definitions());
    return (await loading).schemaOf(kind);
  };
}
