import { status } from '@grpc/grpc-js';
import { typeUrls } from '../../envoy/wire/index.ts';
import { type DeltaResponse, deltaRequest, type WireResource } from './delta-messages.ts';
import type { TypeRelay } from './type-relay.ts';

/** Where modules are kept, for Envoy to read. */
export interface ModuleKeeper {
  /** Throws where they cannot be kept. */
  readonly take: (resources: readonly WireResource[], removed: readonly string[]) => void;
}

/**
 * The agent's own subscription to modules. Envoy never asks for them: the agent does in its place, each time that Envoy opens a stream and before
 * all that Envoy asks for, so that their files are there before Envoy gets what names them.
 */
export class ModuleRelay {
  readonly #keeper: ModuleKeeper;
  readonly #waiting: DeltaResponse[] = [];

  constructor(keeper: ModuleKeeper) {
    this.#keeper = keeper;
  }

  /** An answer for it; it waits for `answer`. */
  receive(response: DeltaResponse): void {
    this.#waiting.push(response);
  }

  ask(type: TypeRelay): void {
    type.envoyAsked(deltaRequest({ typeUrl: typeUrls.module }));
  }

  /** Keeps what has come, and says so. */
  answer(type: () => TypeRelay): void {
    for (let response = this.#waiting.shift(); response; response = this.#waiting.shift()) {
      const { nonce } = response;
      const message = this.#faultOf(response);
      const error = message === undefined ? {} : { error: { code: status.UNAVAILABLE, message } };
      type().envoyAsked(deltaRequest({ typeUrl: typeUrls.module, nonce, ...error }));
    }
  }

  #faultOf({ resources, removed }: DeltaResponse): string | undefined {
    try {
      this.#keeper.take(resources, removed);
      return undefined;
    } catch (error) {
      return `the agent cannot keep it: ${(error as Error).message}`;
    }
  }
}
