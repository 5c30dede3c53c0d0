/** Whether a request comes through. */
export interface Verdict {
  /** `unknown`: no control plane says, and the bucket rejects then. */
  readonly answer: 'passed' | 'over' | 'unknown';
  /** How many more may come through now, as far as is known. */
  readonly left: number;
  /** When one more comes through, in milliseconds. */
  readonly waitMs: number;
  /** Without the control plane. */
  readonly alone: boolean;
}
