/** Where helpers put what is to be ended with them: a test (`t`), or a whole file by way of `endings(test)`. */
export interface Endings {
  teardown(end: () => unknown): void;
}

/** For what the tests of one file share, as AVA's hooks have no teardown: ends it after all of them, last things first. */
export function endings(test: { readonly after: { always(hook: () => Promise<void>): void } }): Endings {
  const ends: (() => unknown)[] = [];
  test.after.always(async () => {
    for (const end of ends.reverse()) await end();
  });
  return { teardown: (end) => void ends.push(end) };
}
