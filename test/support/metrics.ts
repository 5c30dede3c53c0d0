import { MetricSet } from '../../src/telemetry/index.ts';
import { type XdsMetrics, xdsMetrics } from '../../src/xds/index.ts';

/** Metrics of an xDS server that is never scraped. */
export const unscraped = (): XdsMetrics => xdsMetrics(new MetricSet());
