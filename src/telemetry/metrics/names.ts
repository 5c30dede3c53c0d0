/** Every metric name begins with this. */
export const prefix = 'gatewright_';

/** Seconds, from what one small change costs to what a cold start of a large world costs. */
export const durationBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `Listener` for `type.googleapis.com/envoy.config.listener.v3.Listener`. */
export const typeLabel = (typeUrl: string): string => typeUrl.slice(typeUrl.lastIndexOf('.') + 1);
