import { findDefinitions, version } from '../../src/app/process/index.ts';
import { createProgram } from '../../src/app/program.ts';
import type { Ended } from './program.ts';
import { validatorOf } from './validator.ts';

class Exit extends Error {}

/**
 * What `runProgram` does for commands that end by themselves, in this process: without the half second of CPU time that a program
 * takes to start. What the process itself does is for `runProgram`: signals, output that is a pipe, a loaded bundle.
 */
export async function runCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  let [code, stdout, stderr] = [0, '', ''];
  const allEnv = { ...process.env, ...env };
  const program = createProgram({
    version,
    env: allEnv,
    isTerminal: false,
    isErrorTerminal: false,
    write: (text) => {
      stdout += text;
    },
    writeError: (text) => {
      stderr += text;
    },
    setExitCode: (given) => {
      code = given;
    },
    exit(given) {
      code = given;
      throw new Exit();
    },
    validator: async (read) => await validatorOf(findDefinitions(allEnv), read),
  });
  await program.parseAsync(args, { from: 'user' }).catch((error: unknown) => {
    if (!(error instanceof Exit)) throw error;
  });
  return { code, stdout, stderr };
}
