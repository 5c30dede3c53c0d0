import type { World } from '../world/world.ts';

/** What holds in ingress-nginx for an Ingress that says nothing, and has no such value here. */
const defaults = {
  'proxy-body-size': '1m',
  'proxy-read-timeout': '60',
  'proxy-send-timeout': '60',
  'proxy-next-upstream': 'error timeout',
  'proxy-next-upstream-tries': '3',
} as const;

/** The same world as if its ConfigMap said what the controller takes for granted. */
export const withNginxDefaults = (world: World): World => ({
  ...world,
  controller: { ...world.controller, settings: { ...defaults, ...world.controller.settings } },
});
