import { ConfigError, loadConfig } from '../../config/index.ts';

/** Reads a configuration as a start would, and prints what is wrong with it (exit code 1) or that nothing is. */
export function checkConfig(path: string | undefined): void {
  try {
    loadConfig(path, process.env);
    process.stdout.write(`${path ?? 'defaults'}: ok\n`);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`gatewright: ${error.message}\n`);
    process.exitCode = 1;
  }
}
