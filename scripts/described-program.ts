import type { Command } from 'commander';
import { mcpCommand } from '../src/app/addons/mcp-command.ts';
import { createProgram } from '../src/app/program.ts';
import { ObjectValidator } from '../src/sources/index.ts';

/** The program with all of its commands, to be read and not run. */
export const describedProgram = (version: string): Command =>
  createProgram(
    {
      version,
      env: {},
      isTerminal: false,
      isErrorTerminal: false,
      write() {},
      writeError() {},
      setExitCode() {},
      exit: () => process.exit(),
      validator: (read) => ObjectValidator.load([], read),
    },
    { commands: [mcpCommand] },
  );
