import type { AdsCall } from './stream-host.ts';

/** Writes the responses of one stream, each when the one before has left (gRPC's own back pressure). */
export class ResponseWriter {
  readonly #call: AdsCall;
  #sinceMs: number | undefined;

  constructor(call: AdsCall) {
    this.#call = call;
  }

  /** Since when the client has not read a response; undefined: the next may be written. */
  get writingSinceMs(): number | undefined {
    return this.#sinceMs;
  }

  /** `written`: called when the next may be written. */
  write(bytes: Uint8Array, nowMs: number, written: () => void): void {
    this.#sinceMs = nowMs;
    this.#call.write(bytes, () => {
      this.#sinceMs = undefined;
      written();
    });
  }
}
