import { versions } from '../paths.mjs';
import { ensurePeerProgram } from './peer-program.mjs';

/**
 * Envoy Gateway, built from its Go module as it is, for benches only: the program, and the folder of its resource definitions.
 * @returns {Promise<{ program: string, definitions: string, version: string }>}
 */
export const ensureEnvoyGateway = () =>
  ensurePeerProgram({
    name: 'envoy-gateway',
    title: 'Envoy Gateway',
    module: 'github.com/envoyproxy/gateway',
    version: versions.ENVOY_GATEWAY,
    main: './cmd/envoy-gateway',
    definitions: 'charts/gateway-crds-helm/templates/generated',
  });
