import { posix } from 'node:path';
import { isJson, type Json, mergeKeyOf } from './merge.ts';
import {
  agentContainer,
  foreignEnvoyContainer,
  openContainerFields,
  openFields,
  ownPaths,
  ownVariables,
  ownVolumes,
} from './own-parts.ts';
import { containerFault, podSecurityFault, volumeFault } from './restricted.ts';

/**
 * Why a patch of the pods' `spec` may not be applied; undefined when nothing speaks against it. What the API server rejects beyond that, it says itself.
 */
export function podPatchFault(patch: Json): string | undefined {
  const closed = Object.keys(patch).find((field) => !openFields.has(field));
  if (closed !== undefined)
    return `podPatch.${closed} cannot be patched: remove it, or use the DataPlane's own field; these can be patched: ${[...openFields].join(', ')}`;
  const odd = oddPart(patch, '', 0);
  if (odd !== undefined) return `podPatch${odd}`;
  const security = 'securityContext' in patch ? podSecurityFault(patch.securityContext) : undefined;
  if (security !== undefined) return `podPatch.securityContext.${security}${standard}`;
  return (
    first(patch, 'volumes', volumeFaults) ??
    first(patch, 'initContainers', initContainerFaults) ??
    first(patch, 'containers', containerFaults)
  );
}

/** A pod nests some ten levels. Without a limit, some kilobytes of braces would use up the stack. */
const mostLevels = 32;

const standard = ' (pod security standard "restricted")';

/** Of a list of the patch, with the place of the fault before it. */
function first(patch: Json, list: string, faultOf: (element: Json) => string | undefined): string | undefined {
  const elements = (patch[list] ?? []) as readonly Json[];
  for (const element of elements) {
    const fault = faultOf(element);
    if (fault !== undefined) return `podPatch.${list}[${String(element.name)}].${fault}`;
  }
  return undefined;
}

function volumeFaults(volume: Json): string | undefined {
  if (ownVolumes.has(String(volume.name))) return 'name is that of a volume of the agent: take another';
  const fault = volumeFault(volume);
  return fault && `${fault}${standard}`;
}

function initContainerFaults(container: Json): string | undefined {
  if (container.name === foreignEnvoyContainer) return 'name is that of a container of ours: take another';
  const fault = containerFault(container);
  return fault && `${fault}${standard}`;
}

function containerFaults(container: Json): string | undefined {
  const fault = containerFault(container);
  if (fault !== undefined) return `${fault}${standard}`;
  return container.name === agentContainer ? agentFault(container) : undefined;
}

function agentFault(container: Json): string | undefined {
  const closed = Object.keys(container).find((field) => !openContainerFields.has(field));
  if (closed !== undefined)
    return `${closed} cannot be patched: remove it, or use the DataPlane's own field; these can be patched: ${[...openContainerFields].join(', ')}`;
  const names = ((container.env ?? []) as readonly Json[]).map(({ name }) => String(name));
  const variable = names.find((name) => ownVariables.some((own) => own.test(name)));
  if (variable !== undefined) return `env: ${variable} is the agent's: remove it`;
  const paths = ((container.volumeMounts ?? []) as readonly Json[]).map(({ mountPath }) => String(mountPath));
  const path = paths.find(isOwn);
  return path === undefined ? undefined : `volumeMounts: ${path} conflicts with the agent's files: mount it elsewhere`;
}

/** Whether the agent has files at a path, below it or above it. */
function isOwn(path: string): boolean {
  const normal = posix.resolve('/', path);
  if (normal === '/') return true;
  return ownPaths.some((own) => own === normal || own.startsWith(`${normal}/`) || normal.startsWith(`${own}/`));
}

/**
 * The path of what no merge can make sense of: directives such as `$patch`, a null that would bring a security setting to its default, an element of a list
 * without its merge key, a list that is none, or nesting without end.
 */
function oddPart(value: unknown, path: string, level: number): string | undefined {
  if (!isJson(value)) return undefined;
  if (level > mostLevels) return `${path} is deeper than ${mostLevels} levels, and nothing in a pod is: remove it`;
  for (const [name, each] of Object.entries(value)) {
    const here = `${path}.${name}`;
    if (name.startsWith('$')) return `${here} is a directive, which is not known here: remove it`;
    if (each === null) return `${here} is null: what the proxies have cannot be removed`;
    const key = mergeKeyOf(name);
    const found =
      key !== undefined && Array.isArray(each)
        ? oddElement(each, key, here, level + 1)
        : oddPart(each, here, level + 1);
    if (found !== undefined) return found;
    if (key !== undefined && !Array.isArray(each)) return `${here} must be a list`;
  }
  return undefined;
}

function oddElement(list: readonly unknown[], key: string, path: string, level: number): string | undefined {
  const seen = new Set<unknown>();
  for (const element of list) {
    const value = isJson(element) ? element[key] : undefined;
    if (value === undefined) return `${path} has an element without ${key}`;
    if (typeof value === 'object') return `${path} has an element whose ${key} is no text or number`;
    if (seen.size === seen.add(value).size) return `${path} has ${String(value)} twice`;
    const found = oddPart(element, `${path}[${String(value)}]`, level + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
