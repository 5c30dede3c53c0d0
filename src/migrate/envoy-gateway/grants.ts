import { idOf } from '../kit/objects.ts';
import { type Output, objectOf } from '../kit/output.ts';
import type { Converted } from '../kit/result.ts';
import { type Fields, isFields } from '../kit/values.ts';
import { egGroup, ownGroup } from './kinds.ts';
import type { Moving } from './moving.ts';

/** What takes the place of a kind that refers to others. */
const referring: Readonly<Record<string, string>> = {
  SecurityPolicy: 'AccessPolicy',
  EnvoyExtensionPolicy: 'ExtensionPolicy',
  HTTPRouteFilter: 'HTTPFilter',
};

const listed = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

/** ReferenceGrants for kinds of Envoy Gateway, again for ours. Those for other kinds stay as they are. */
export function convertGrants(moving: Moving, output: Output): readonly Converted[] {
  return moving.objects.of('ReferenceGrant').flatMap((source): readonly Converted[] => {
    const from = listed(source.spec.from);
    const to = listed(source.spec.to);
    if (![...from, ...to].some(({ group }) => group === egGroup)) return [];
    const spec = {
      from: from.flatMap((each) =>
        each.group === egGroup ? after(each, ownGroup, referring[String(each.kind)]) : [each],
      ),
      to: to.flatMap((each) =>
        each.group === egGroup
          ? after(each, 'gateway.networking.x-k8s.io', each.kind === 'Backend' ? 'XBackend' : undefined)
          : [each],
      ),
    };
    if (spec.from.length === 0 || spec.to.length === 0) return [{ id: idOf(source), outcome: 'left', notes: [] }];
    output.add(
      `${source.namespace}/referencegrant-${source.name}.yaml`,
      objectOf(source.apiVersion, 'ReferenceGrant', source.namespace, moving.newName(source.name), spec),
    );
    return [{ id: idOf(source), outcome: 'converted', notes: [] }];
  });
}

const after = (each: Fields, group: string, kind: string | undefined): readonly Fields[] =>
  kind === undefined ? [] : [{ ...each, group, kind }];
