/** A backend of an example, as it runs. */
export interface ExampleBackend {
  readonly port: number;
  /** Ends it and the connections it has. */
  close(): Promise<void>;
}
