import type { DataPlaneAgentOptions } from '../../agent/index.ts';
import type { Config } from '../../config/index.ts';

/** Where a data plane finds its keys for sticky sessions. */
export const sessionKeyFilesOf = ({
  sessionPersistence: { secretKeyFile, previousSecretKeyFile },
}: Config): NonNullable<DataPlaneAgentOptions['sessionKeyFiles']> => ({
  current: secretKeyFile,
  previous: previousSecretKeyFile,
});
