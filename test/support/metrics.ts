import { MetricSet } from '../../src/telemetry/index.ts';
import { type XdsMetrics, xdsMetrics } from '../../src/xds/index.ts';

/** Metrics of an xDS server that nobody scrapes. */
export const unscraped = (): XdsMetrics => xdsMetrics(new MetricSet());
