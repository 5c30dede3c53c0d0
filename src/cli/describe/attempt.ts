import { CliError } from '../kit/cli-error.ts';
import { type Section, section } from './section.ts';

/** A section, or why it cannot be read: the rest of a description is worth having without it. */
export const attempt = (key: string, read: () => Promise<Section>): Promise<Section> =>
  read().catch((error: unknown) => {
    if (!(error instanceof CliError)) throw error;
    return section(key, null, [`not known: ${error.message}`]);
  });
