import type { Kind } from '../gateway-api/index.ts';
import { findDefinitions, forceExit, version } from './process/index.ts';
import { createProgram, type ProgramAddOns } from './program.ts';

/** Does what the command line asks for. */
export async function main(addOns: ProgramAddOns): Promise<void> {
  forceExit();
  await createProgram(processIo, addOns).parseAsync();
}

const processIo = {
  version,
  env: process.env,
  isTerminal: process.stdout.isTTY === true,
  isErrorTerminal: process.stderr.isTTY === true,
  width: process.stdout.columns as number | undefined,
  write: (text: string) => void process.stdout.write(text),
  writeError: (text: string) => void process.stderr.write(text),
  setExitCode: (code: number) => {
    process.exitCode = code;
  },
  exit: (code: number) => process.exit(code),
  async validator(read?: readonly Kind[]) {
    // Large, and most commands read no files.
    const { ObjectValidator } = await import('../sources/index.ts');
    return await ObjectValidator.load(findDefinitions(process.env), read);
  },
};
