/** All times are milliseconds. */
export interface ReplicaTiming {
  /** How often an idle replica reports that it is there. */
  readonly heartbeatMs: number;
  /** A replica from which nothing came for so long is given up, and tried again. */
  readonly idleMs: number;
  /** How long a try to reach a replica may take. */
  readonly connectMs: number;
  /** A replica that is away for longer is reported as unreachable, and its data planes as disconnected. */
  readonly graceMs: number;
  /** How often the name of the Service is resolved. */
  readonly resolveMs: number;
  /** How long routine news, such as an ACK, may wait for more of it. */
  readonly routineMs: number;
  /** Failed requests are reported this often at most. */
  readonly signalMs: number;
  /** Replicas whose snapshots differ for longer disagree. */
  readonly disagreeMs: number;
  /** How long the data planes of a replica that is gone stay listed. */
  readonly keepMs: number;
  /** How long a start waits for the first words of the others. */
  readonly introductionMs: number;
}

export const defaultTiming: ReplicaTiming = {
  heartbeatMs: 5_000,
  idleMs: 15_000,
  connectMs: 5_000,
  graceMs: 10_000,
  resolveMs: 5_000,
  routineMs: 1_000,
  signalMs: 500,
  disagreeMs: 30_000,
  keepMs: 600_000,
  introductionMs: 2_000,
};
