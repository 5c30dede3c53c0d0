import type { SourceObject } from '../kit/objects.ts';
import { type Output, successorOf } from '../kit/output.ts';
import type { Converted } from '../kit/result.ts';
import type { Note } from '../kit/table.ts';
import { type Fields, isFields } from '../kit/values.ts';
import type { BackendsMade } from './backends.ts';
import type { Failovers } from './failovers.ts';
import type { FiltersMade } from './filters.ts';
import { egGroup } from './kinds.ts';
import { type Moving, parentAfter, parentsOf } from './moving.ts';
import { noteOf } from './policy.ts';

/** What routes name after the move. */
interface Made {
  readonly filters: FiltersMade;
  readonly backends: BackendsMade;
  readonly failovers: Failovers;
}

/**
 * Routes. One that names nothing of Envoy Gateway gets the copies of its parents beside them, so both serve it. Any other one is copied, with
 * filters and backends of ours.
 */
export function convertRoutes(moving: Moving, made: Made, output: Output): readonly Converted[] {
  return moving.routes.map((route) => {
    const notes: Note[] = [...made.failovers.notesOf(route)];
    const moved = parentsOf(route)
      .filter(moving.isMoved)
      .map((parent) => parentAfter(parent, moving.newName(parent.name)));
    const isCopied = moving.isCopied(route);
    const spec = isCopied
      ? { ...(translated(route.spec, route, made, notes) as Fields), parentRefs: moved }
      : { ...route.spec, parentRefs: [...(route.spec.parentRefs as readonly Fields[]), ...moved] };
    const name = isCopied ? moving.newName(route.name) : route.name;
    output.add(
      `${route.namespace}/${route.kind.toLowerCase()}-${route.name}.yaml`,
      successorOf(route, name, spec),
      notes,
    );
    return { id: `${route.kind}/${route.namespace}/${route.name}`, outcome: 'converted', notes };
  });
}

/** A value of a route with ours in place of what is Envoy Gateway’s. */
function translated(value: unknown, route: SourceObject, made: Made, notes: Note[]): unknown {
  const { filters, backends, failovers } = made;
  const next = (item: unknown) => translated(item, route, made, notes);
  if (Array.isArray(value)) return value.flatMap<unknown>((item) => extensionOf(item, route, filters) ?? [next(item)]);
  if (!isFields(value)) return value;
  if (value.group === egGroup && value.kind === 'Backend' && typeof value.name === 'string') {
    const ref = backends.refOf(typeof value.namespace === 'string' ? value.namespace : route.namespace, value.name);
    if (ref === undefined)
      notes.push(
        noteOf(
          'cannot',
          'rules[].backendRefs',
          `Backend ${value.name} has no equivalent here: its requests are answered 500`,
        ),
      );
    const { group, kind, name, port, ...others } = value;
    return { ...others, ...(ref ?? { group: 'gateway.networking.x-k8s.io', kind: 'XBackend', name }) };
  }
  const kept = failovers.keptOf(value);
  const own = kept === undefined ? value : { ...value, backendRefs: kept };
  return Object.fromEntries(Object.entries(own).map(([name, field]) => [name, next(field)]));
}

/** The filters that take the place of an HTTPRouteFilter of theirs; undefined for any other value. */
function extensionOf(value: unknown, route: SourceObject, filters: FiltersMade): readonly Fields[] | undefined {
  if (!isFields(value) || !isFields(value.extensionRef) || value.extensionRef.group !== egGroup) return undefined;
  const name = String(value.extensionRef.name);
  return filters.namesOf(route.namespace, name).map((own) => ({
    type: 'ExtensionRef',
    extensionRef: { group: 'gatewright.dev', kind: 'HTTPFilter', name: own },
  }));
}
