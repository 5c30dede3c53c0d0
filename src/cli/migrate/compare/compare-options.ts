import type { ReportFormat } from '../../../ingress/index.ts';
import type { WorldChoice } from '../read-world.ts';

export interface CompareOptions extends WorldChoice {
  readonly from?: string;
  readonly to?: string;
  readonly offline?: boolean;
  readonly converted?: readonly string[];
  readonly requests?: string;
  readonly methods: readonly string[];
  readonly unsafeHosts: readonly string[];
  readonly rate: number;
  readonly limit: number;
  /** Seconds. */
  readonly timeout: number;
  readonly withBody?: boolean;
  readonly output: ReportFormat;
}
