import type { DeltaRequest, DeltaResponse } from './delta-messages.ts';

/** What has an Envoy that serves nothing look at resources. */
export interface TrialKeeper {
  /** Called now and then while there is a stream; `send` writes to it. */
  readonly ask: (send: (request: DeltaRequest) => void) => void;
  readonly answered: (response: DeltaResponse) => Promise<void>;
  readonly left: () => void;
}
