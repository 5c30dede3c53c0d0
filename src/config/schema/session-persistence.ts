import * as z from 'zod';
import { text } from './leaf.ts';

/** The keys that data planes make the tokens of sticky sessions with. */
export const sessionPersistence = z
  .strictObject({
    secretKeyFile: text('the path of a file with at least 32 random bytes')
      .optional()
      .describe(
        'File with the secret key, at least 32 bytes, the same for all data planes of a Gateway. Also written `secret_key_file` or `sharedSecretFile`. Read again when it changes. Without it each data plane generates a key, and sessions end with the data plane.',
      ),
    previousSecretKeyFile: text('the path of a file with the key before')
      .optional()
      .describe('File with the previous key, whose tokens stay valid. It need not exist.'),
  })
  .prefault({})
  .describe('Sticky sessions: the keys for the data plane’s tokens.');
