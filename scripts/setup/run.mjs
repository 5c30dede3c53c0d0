import { spawn } from 'node:child_process';

/**
 * Runs a program. Its errors, and unless captured its output, go to our stderr.
 * @param {string} command
 * @param {readonly string[]} parameters
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, quiet?: boolean }} [options] `quiet` drops its errors
 * @returns {Promise<string>} its output
 * @throws if it cannot be started (with `code` ENOENT when it is missing) or fails
 */
export function run(command, parameters, { cwd, env, quiet } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', quiet ? 'ignore' : 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
    child.once('error', reject);
    child.once('close', (status, signal) => {
      if (status === 0) resolve(output);
      else reject(new Error(`${command} ${parameters.join(' ')}: ended with ${signal ?? status}`));
    });
  });
}
