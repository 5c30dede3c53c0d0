import { Interner } from '../std/memory/index.ts';

type Json = Readonly<Record<string, unknown>>;

interface RouteBody {
  readonly spec?: { readonly parentRefs?: readonly object[]; readonly rules?: readonly Rule[] };
  readonly status?: { readonly parents?: readonly ParentStatus[] };
}

interface Rule {
  readonly matches?: readonly object[];
}

interface ParentStatus {
  readonly parentRef: object;
  readonly controllerName: string;
  readonly conditions?: readonly object[];
}

/** Of all routes together. What is forgotten is kept twice, and no worse. */
const parts = new Interner(512);

/** A route's body with what it has in common with others: its parents, matches of whole rules, and what its status says of each parent. */
export function shareRoute(body: Json): Json {
  const { spec, status } = body as RouteBody;
  return {
    ...body,
    ...(spec && { spec: shareSpec(spec) }),
    ...(status?.parents && { status: { ...status, parents: status.parents.map(shareParent) } }),
  };
}

const shareSpec = (spec: NonNullable<RouteBody['spec']>): Json => ({
  ...spec,
  ...(spec.parentRefs && { parentRefs: parts.of(spec.parentRefs) }),
  ...(spec.rules && { rules: spec.rules.map(shareRule) }),
});

const shareRule = (rule: Rule): Rule => (rule.matches ? { ...rule, matches: parts.of(rule.matches) } : rule);

/** As a whole where its conditions came about in the same second, else by what never differs. */
function shareParent(parent: ParentStatus): ParentStatus {
  const { parentRef, controllerName, conditions } = parent;
  const [name] = parts.of([controllerName]) as readonly [string];
  return {
    ...parent,
    parentRef: parts.of(parentRef),
    controllerName: name,
    ...(conditions && { conditions: parts.of(conditions) }),
  };
}
