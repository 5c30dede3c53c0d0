import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError, say } from './progress.mjs';

const LOCK_POLL_MS = 200;
const LOCK_WAIT_MS = 45 * 60_000; // a first build on a slow machine

/**
 * Makes a folder all at once: `make` fills a temporary one beside it, which then takes its place. A reader sees the
 * old folder, or the whole new one; an interrupted run leaves the old one.
 * @template T
 * @param {string} folder
 * @param {(temporary: string) => Promise<T>} make
 * @returns {Promise<T>} what `make` gave
 */
export async function publish(folder, make) {
  mkdirSync(dirname(folder), { recursive: true });
  const work = mkdtempSync(join(dirname(folder), `.${basename(folder)}-`));
  try {
    const made = join(work, 'new');
    mkdirSync(made);
    const result = await make(made);
    replace(folder, made, join(work, 'old'));
    return result;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string} folder @param {string} made its next content @param {string} old where its present content goes */
function replace(folder, made, old) {
  if (existsSync(folder)) renameSync(folder, old);
  try {
    renameSync(made, folder);
  } catch (error) {
    // Another process made the same just now; theirs is as good.
    if (!['ENOTEMPTY', 'EEXIST'].includes(/** @type {NodeJS.ErrnoException} */ (error).code ?? '')) throw error;
  }
}

/**
 * Runs `step` while no other process runs one with the same lock file. It saves the others from doing the same work;
 * what is published is whole without it, so a lock whose holder died is simply taken over.
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} step
 * @returns {Promise<T>}
 */
export async function locked(file, step) {
  mkdirSync(dirname(file), { recursive: true });
  const deadline = Date.now() + LOCK_WAIT_MS;
  for (let waiting = false; !acquire(file); waiting = true) {
    const holder = holderOf(file);
    if (holder !== undefined && !isAlive(holder)) {
      rmSync(file, { force: true });
      continue;
    }
    if (!waiting) say(`waiting for process ${holder ?? '?'}, which is setting up too (${file})`);
    if (Date.now() > deadline) throw new SetupError(`process ${holder} has held ${file} for too long`);
    await sleep(LOCK_POLL_MS);
  }
  try {
    return await step();
  } finally {
    rmSync(file, { force: true });
  }
}

/** @param {string} file */
function acquire(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  }
}

/** @param {string} file @returns {number | undefined} none while it is being written or just gone */
function holderOf(file) {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
