import type { DeltaRequest, DeltaResponse } from './delta-messages.ts';

/** Envoy's word on one answer. */
export interface Verdict {
  readonly typeUrl: string;
  /** The control plane's nonce; undefined when the answer was the agent's own. */
  readonly upstreamNonce?: string;
  readonly systemVersion: string;
  /** Envoy's reason when it rejected. */
  readonly rejection?: string;
  /** It was what Envoy had before: that it has it once more says nothing of what it rejected since. */
  readonly again: boolean;
}

/** The two sides of a relay, as one type sees them. */
export interface TypePorts {
  /** Sends on Envoy's stream. Called only between Envoy's first request for the type and the end of its stream. */
  readonly toEnvoy: (response: DeltaResponse) => void;
  /** Sends to the control plane; does nothing while there is no stream. */
  readonly toControlPlane: (request: DeltaRequest) => void;
  /** A nonce never used before on any of Envoy's streams. */
  readonly nextNonce: () => string;
  readonly onVerdict: (verdict: Verdict) => void;
  /** A caller takes the changes of what is held. */
  readonly noteChanges: boolean;
}
