import test from 'ava';
import { hostileYaml } from '../../support/hostile-yaml.ts';
import { WorkCounter } from '../../support/work-count.ts';

/** Twice the text may cost twice the work, and what it takes to begin. */
const most = 2.3;

/** In characters. */
const shortText = 8_192;

test('twice the text is twice the work, whatever form it has', async (t) => {
  using counter = new WorkCounter();
  const { readYaml } = await import('../../../src/yaml/index.ts');
  const read = (text: string): void => {
    for (const document of readYaml(text).documents) {
      if (document.errors.length > 0) continue;
      try {
        document.toJS({ maxAliasCount: 100 });
      } catch {
        // Too many aliases: that is known when they were counted.
      }
    }
  };
  for (const [name, make] of Object.entries(hostileYaml)) {
    const workOf = (size: number): number => {
      const text = make(size);
      return counter.count(() => read(text));
    };
    // Up to the number that is allowed, each alias may cost what all cost.
    const size = /alias|star/.test(name) ? 131_072 : shortText;
    const [small, large] = [workOf(size), workOf(2 * size)];
    t.true(
      large < most * small + 50_000,
      `${name}: ${small} blocks of code for ${size} characters, ${large} for twice as many`,
    );
  }
});
