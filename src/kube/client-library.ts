import { createRequire } from 'node:module';

type ClientLibrary = typeof import('@kubernetes/client-node');

const require = createRequire(import.meta.url);

/**
 * The client library, loaded when first asked for. It is some 700 modules, two thirds of what the control plane loads at its start, and a
 * control plane without a cluster needs none of it.
 */
export const clientLibrary = (): ClientLibrary => require('@kubernetes/client-node') as ClientLibrary;
