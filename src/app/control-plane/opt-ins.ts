import type { Config } from '../../config/index.ts';
import type { OptIn } from '../../gateway-api/index.ts';

/** What the configuration switches on of what brings kinds with it. */
export const optIns = ({ ingress }: Pick<Config, 'ingress'>): readonly OptIn[] => (ingress.enabled ? ['ingress'] : []);
