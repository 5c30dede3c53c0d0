/** What files of a shared process leave for the next one, and how it ends. */
let isShared = false;
const ends: (() => Promise<void>)[] = [];

export const isSharedProcess = (): boolean => isShared;

/** Called when all files of the process are over. */
export function beforeProcessEnds(end: () => Promise<void>): void {
  ends.push(end);
}

/** The files of this process run one after the other. */
export function markShared(): void {
  isShared = true;
}

export async function endProcess(): Promise<void> {
  for (const end of ends.splice(0)) await end();
}
