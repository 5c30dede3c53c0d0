import type { World } from '../world/world.ts';
import type { Settings } from './settings.ts';

/** What all rules look at. */
export interface Site {
  readonly world: World;
  readonly settings: Settings;
}
