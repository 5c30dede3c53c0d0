import { ObjectValidator } from '../../src/sources/index.ts';

const loaded = new Map<string, Promise<ObjectValidator>>();

/** The validator by the definitions of these directories: one for all worlds of a process, for what it compiles is half of a start. */
export function validatorOf(directories: readonly string[]): Promise<ObjectValidator> {
  const key = directories.join();
  const validator = loaded.get(key) ?? ObjectValidator.load(directories);
  loaded.set(key, validator);
  return validator;
}
