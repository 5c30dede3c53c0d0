import type { Config } from '../../config/index.ts';
import type { OptIn } from '../../gateway-api/index.ts';

/** What the configuration switches on of what brings kinds with it. */
export const optIns = ({ ingress, envoyPatches }: Pick<Config, 'ingress' | 'envoyPatches'>): readonly OptIn[] => [
  ...(ingress.enabled ? (['ingress'] as const) : []),
  ...(envoyPatches.enabled ? (['envoyPatches'] as const) : []),
];
