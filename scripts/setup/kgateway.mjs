import { versions } from '../paths.mjs';
import { ensurePeerProgram } from './peer-program.mjs';

/**
 * kgateway, built from its Go module as it is, for benches only: the program, and the folder of its resource definitions.
 * @returns {Promise<{ program: string, definitions: string, version: string }>}
 */
export const ensureKgateway = () =>
  ensurePeerProgram({
    name: 'kgateway',
    title: 'kgateway',
    module: 'github.com/kgateway-dev/kgateway/v2',
    version: versions.KGATEWAY,
    main: './cmd/kgateway',
    definitions: 'install/helm/kgateway-crds/templates',
  });
