const folder = 'modules';

/** Where the agent keeps a module for Envoy, by the SHA-256 of its code: below the folder that Envoy is started in. */
export const moduleFile = (digest: string): string => `${folder}/${digest}.wasm`;
