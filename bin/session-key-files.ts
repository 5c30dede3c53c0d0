import type { DataPlaneAgentOptions } from '../src/agent/index.ts';
import type { Config } from '../src/config/index.ts';

/** Where a data plane finds its keys for sticky sessions. */
export const sessionKeyFilesOf = ({
  sessionPersistence: { secretKeyFile, previousSecretKeyFile },
}: Config): NonNullable<DataPlaneAgentOptions['sessionKeyFiles']> => ({
  current: secretKeyFile,
  previous: previousSecretKeyFile,
});
