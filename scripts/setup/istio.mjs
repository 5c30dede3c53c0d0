import { versions } from '../paths.mjs';
import { ensurePeerProgram } from './peer-program.mjs';

/**
 * Istio's control plane, built from its Go module as it is, for benches only: the program, and the folder of its resource definitions.
 * @returns {Promise<{ program: string, definitions: string, version: string }>}
 */
export const ensureIstio = () =>
  ensurePeerProgram({
    name: 'istio',
    title: 'Istio',
    module: 'istio.io/istio',
    version: versions.ISTIO,
    main: './pilot/cmd/pilot-discovery',
    tags: 'vtprotobuf,disable_pgv',
    definitions: 'manifests/charts/base/files',
  });
