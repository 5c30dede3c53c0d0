import type { ObjectByKind } from '../../gateway-api/index.ts';

export type Policy = ObjectByKind['ExtensionPolicy'];
