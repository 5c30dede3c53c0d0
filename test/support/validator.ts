import { type Kind, kindsRead } from '../../src/gateway-api/index.ts';
import { Definitions } from '../../src/sources/directory/validate/definitions.ts';
import { ObjectValidator } from '../../src/sources/index.ts';

const loaded = new Map<string, Promise<ObjectValidator>>();

/**
 * A validator of these kinds, or all that need no switch, by the definitions of these directories. All of a process share what one of them compiles,
 * for that is half of a start, and most of a command that judges files.
 */
export async function validatorOf(
  directories: readonly string[],
  read: readonly Kind[] = kindsRead(),
): Promise<ObjectValidator> {
  const key = directories.join();
  const validator = loaded.get(key) ?? ObjectValidator.load(directories);
  loaded.set(key, validator);
  return (await validator).reading(read);
}

/** One that other threads cannot have, so that all files are judged in this one. */
export const validatorOfOneThread = async (directories: readonly string[]): Promise<ObjectValidator> =>
  new ObjectValidator(await Definitions.load(directories));
