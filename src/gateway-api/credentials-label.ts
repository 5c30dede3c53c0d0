/** A label of Secrets and ConfigMaps: with the value `true`, all of their entries are read. */
export const credentialsLabel = 'gatewright.dev/credentials';
