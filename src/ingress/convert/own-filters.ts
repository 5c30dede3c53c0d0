import type { Fields } from '../features/part.ts';
import { nameOf } from './names.ts';

/** Gathers the HTTPFilters of an Ingress: equal ones are one object. */
export class OwnFilters {
  readonly #byText = new Map<string, { readonly name: string; readonly spec: Fields }>();
  readonly #ingress: string;

  constructor(ingress: string) {
    this.#ingress = ingress;
  }

  get all(): readonly { readonly name: string; readonly spec: Fields }[] {
    return [...this.#byText.values()];
  }

  /** The filter of a rule that names it. */
  add(ending: string, spec: Fields): Fields {
    const text = JSON.stringify(spec);
    let found = this.#byText.get(text);
    if (found === undefined) {
      const taken = [...this.#byText.values()].filter(({ name }) =>
        name.startsWith(nameOf(this.#ingress, ending)),
      ).length;
      found = { name: nameOf(this.#ingress, taken === 0 ? ending : `${ending}-${taken + 1}`), spec };
      this.#byText.set(text, found);
    }
    return { type: 'ExtensionRef', extensionRef: { group: 'gatewright.dev', kind: 'HTTPFilter', name: found.name } };
  }
}
