import { BuildFault } from '../../graph/index.ts';
import type { Logger } from '../../telemetry/index.ts';

/** What failed builds are said to be due to. */
export interface BuildFailures {
  /** Why the latest build failed, if it did. */
  readonly latest: string | undefined;
  report(error: unknown): void;
  /** A build went well. */
  over(): void;
}

/** Logs why builds fail: a cause that an operator can fix once, and its end; a bug of ours each time, with its stack. */
export function buildFailures(log: Logger): BuildFailures {
  let subject: string | undefined;
  let latest: string | undefined;
  return {
    get latest() {
      return latest;
    },
    report(error) {
      latest = error instanceof Error ? error.message : String(error);
      if (!(error instanceof BuildFault)) {
        log.error({ err: error }, 'snapshot build failed: proxies keep the previous snapshot');
        return;
      }
      const level = error.subject === subject ? 'debug' : 'error';
      subject = error.subject;
      log[level]({ subject }, `snapshot build failed, proxies keep the previous snapshot: ${error.message}`);
    },
    over() {
      if (latest !== undefined) log.info('snapshot builds succeed again');
      subject = undefined;
      latest = undefined;
    },
  };
}
