import type { ControlPlane } from '../../src/app/control-plane/index.ts';
import type { FakeProvider } from './fake-provider.ts';

/** An example whose Gateways are programmed. */
export interface RunningExample {
  readonly control: ControlPlane;
  /** From the ports written in the YAML to those in use. */
  readonly ports: ReadonlyMap<number, number>;
  /** How many requests each backend has seen, by Service name. */
  readonly received: ReadonlyMap<string, number>;
  /** Fake providers of models, by the name of their AIService or of their Pod. */
  readonly models: ReadonlyMap<string, FakeProvider>;
  /** Stops the backend on this port without notice to the gateway. */
  stopBackend(port: number): Promise<void>;
  stop(): Promise<void>;
}
