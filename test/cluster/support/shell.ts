import { spawn } from 'node:child_process';

export interface ShellOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Given to the program's standard input. */
  readonly input?: string;
  /** Where the program's messages go: to ours, or into the error when it fails. */
  readonly messages?: 'inherit' | 'collect';
}

/** Runs a program to its end and resolves with what it printed. Rejects, with its messages, when it fails. */
export function shell(command: string, args: readonly string[], options: ShellOptions = {}): Promise<string> {
  const { env, input, messages = 'collect' } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', messages === 'inherit' ? 'inherit' : 'pipe'],
    });
    let output = '';
    let complaints = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      complaints += text;
    });
    child.once('error', reject);
    child.once('close', (status, signal) => {
      if (status === 0) resolve(output);
      else reject(new Error(`${command} ${args.join(' ')}: ended with ${signal ?? status}\n${complaints}`));
    });
    child.stdin?.on('error', () => {}); // it ended without reading: its status says why
    child.stdin?.end(input);
  });
}
