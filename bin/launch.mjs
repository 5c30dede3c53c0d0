#!/usr/bin/env node
// What npm installs as `gatewright`, from a clone and from the bundle alike. The program needs a newer Node than many machines have, so a
// package brings one along. Plain JavaScript that runs on any Node from 18 on.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const neededMajor = 24;

const here = dirname(fileURLToPath(import.meta.url));
/** Of the bundle, else of a clone. */
const program = /** @type {string} */ (
  ['gatewright.js', 'gatewright.ts'].map((file) => join(here, file)).find(existsSync)
);

if (Number.parseInt(process.versions.node, 10) >= neededMajor) await import(program);
else runWith(nodeOfPackages());

/** The Node of the package for this machine; a clone has it in that of all machines. */
function nodeOfPackages() {
  const { resolve } = createRequire(import.meta.url);
  const own = `node-${process.platform}-${process.arch}`;
  for (const name of [own, 'node']) {
    try {
      const node = join(dirname(resolve(`${name}/package.json`)), 'bin/node');
      if (existsSync(node)) return node;
    } catch {
      // It is not installed.
    }
  }
  console.error(
    `gatewright needs Node ${neededMajor} or newer; this is ${process.versions.node}, and the package ${own}, which has one, is not installed: install gatewright without --omit=optional, or use a newer Node`,
  );
  return process.exit(1);
}

/**
 * In place of this process, where Node can do that; else beside it, with its signals and its end.
 * @param {string} node
 */
function runWith(node) {
  const args = [program, ...process.argv.slice(2)];
  if (process.execve) process.execve(node, [node, ...args], process.env);
  const child = spawn(node, args, { stdio: 'inherit' });
  child.once('error', ({ message }) => {
    console.error(`gatewright: ${node}: ${message}`);
    process.exit(1);
  });
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'])) {
    // A terminal sends Ctrl-C to both, and a second one would end the program before it has finished.
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY) || child.kill(signal));
  }
  child.once('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
}
