import type { ServeParts } from '../process/index.ts';
import type { Metrics } from './metrics.ts';

/** What every part of a control plane is built with. */
export interface Context extends Pick<ServeParts, 'config' | 'logger' | 'version'> {
  readonly metrics: Metrics;
  /** Directories of the CustomResourceDefinitions of all kinds. Throws a ConfigError where there are none. */
  readonly definitions: () => readonly string[];
}
