import { idOf, type SourceObject, type SourceObjects } from '../kit/objects.ts';
import { type Fields, isFields } from '../kit/values.ts';
import { egController, egGroup, routeKinds } from './kinds.ts';

/** A reference to a Gateway or ListenerSet, as routes and policies have it. */
export interface ParentRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly sectionName: string | undefined;
  /** As it was written. */
  readonly fields: Fields;
}

const itemsOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

export const rulesOf = ({ spec }: SourceObject): readonly Fields[] => itemsOf(spec.rules);

/** What a route is attached to. */
export const parentsOf = ({ namespace, spec }: SourceObject): readonly ParentRef[] =>
  itemsOf(spec.parentRefs).flatMap((fields) => {
    const { kind = 'Gateway', name, namespace: own = namespace, sectionName } = fields;
    if (typeof kind !== 'string' || typeof name !== 'string' || typeof own !== 'string') return [];
    return [
      { kind, name, namespace: own, sectionName: typeof sectionName === 'string' ? sectionName : undefined, fields },
    ];
  });

/** References of a rule: of backends, and of filters to backends. */
export const backendsOf = (rule: Fields): readonly Fields[] => itemsOf(rule.backendRefs);

/**
 * What moves: the Gateways of Envoy Gateway's classes, their ListenerSets and routes. Gateways, ListenerSets and classes are copied under names
 * with a suffix. Routes get a second parent, so that both serve them; a route that names kinds of Envoy Gateway is copied too.
 */
export class Moving {
  readonly objects: SourceObjects;
  readonly suffix: string;
  readonly classes: readonly SourceObject[];
  readonly gateways: readonly SourceObject[];
  readonly listenerSets: readonly SourceObject[];
  readonly routes: readonly SourceObject[];
  readonly #ids: ReadonlySet<string>;

  constructor(objects: SourceObjects, suffix: string) {
    this.objects = objects;
    this.suffix = suffix;
    const all = objects.of('GatewayClass');
    this.classes = all.filter(({ spec }) => spec.controllerName === egController);
    const names = new Set(this.classes.map(({ name }) => name));
    // Files rarely have the class: then every Gateway is meant.
    this.gateways = objects
      .of('Gateway')
      .filter(({ spec }) => all.length === 0 || names.has(String(spec.gatewayClassName)));
    const gateways = new Set(this.gateways.map(idOf));
    this.listenerSets = objects.of('ListenerSet').filter(({ namespace, spec }) => {
      const { name, namespace: own = namespace } = isFields(spec.parentRef) ? spec.parentRef : {};
      return gateways.has(`Gateway/${own}/${name}`);
    });
    this.#ids = new Set([...gateways, ...this.listenerSets.map(idOf)]);
    this.routes = routeKinds
      .flatMap((kind) => objects.of(kind))
      .filter((route) => parentsOf(route).some((parent) => this.isMoved(parent)));
  }

  /** Whether it is a Gateway or ListenerSet that is copied. */
  isMoved = ({ kind, namespace, name }: Pick<ParentRef, 'kind' | 'namespace' | 'name'>): boolean =>
    this.#ids.has(idOf({ kind, namespace, name }));

  newName = (name: string): string => `${name}${this.suffix}`;

  /** Whether a route names kinds of Envoy Gateway, for which no other controller has a meaning. */
  isCopied = (route: SourceObject): boolean => rulesOf(route).some(namesOthers);

  /** The name of a route, Gateway or ListenerSet after the move; undefined if it does not move. */
  nameAfter(kind: string, namespace: string, name: string): string | undefined {
    if (kind === 'Gateway' || kind === 'ListenerSet')
      return this.isMoved({ kind, namespace, name }) ? this.newName(name) : undefined;
    const route = this.routes.find((each) => each.kind === kind && each.namespace === namespace && each.name === name);
    return route && (this.isCopied(route) ? this.newName(name) : name);
  }
}

const namesOthers = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(namesOthers)
    : isFields(value) && (value.group === egGroup || Object.values(value).some(namesOthers));

/** A reference to a Gateway or ListenerSet, after the move. */
export const parentAfter = ({ fields }: ParentRef, name: string): Fields => ({ ...fields, name });
