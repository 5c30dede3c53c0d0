import { inTurns } from '../../std/steps/index.ts';
import type { Operation } from '../resource/operation.ts';
import { describing } from './document.ts';

/** What the API says of itself. It stays the same while the process runs, and making it takes longer than others should wait: so it is made once, in turns. */
export class ApiDescription {
  readonly version: string;
  readonly #list: () => readonly Operation[];
  #operations: readonly Operation[] | undefined;
  #document: Promise<object> | undefined;

  /** `list` is called with the first question. */
  constructor(version: string, list: () => readonly Operation[]) {
    this.version = version;
    this.#list = list;
  }

  /** Everything that is described, of this port and others. */
  get operations(): readonly Operation[] {
    this.#operations ??= this.#list();
    return this.#operations;
  }

  /** As OpenAPI 3.1. */
  get document(): Promise<object> {
    this.#document ??= inTurns(describing(this.version, this.operations));
    return this.#document;
  }
}
