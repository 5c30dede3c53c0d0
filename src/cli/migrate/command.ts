import type { Command } from 'commander';
import type { CliIo, CommandModule } from '../kit/io.ts';
import { addCompare } from './compare/command.ts';
import { addConvert } from './convert/command.ts';
import { addExplain } from './explain/command.ts';
import { addInventory } from './inventory/command.ts';
import { addShift } from './shift/command.ts';
import { addStatus } from './status/command.ts';

/** The parts of `migrate`, in the order of its help. */
const parts: readonly ((migrate: Command, io: CliIo) => void)[] = [
  addInventory,
  addConvert,
  addCompare,
  addShift,
  addStatus,
  addExplain,
];

export const migrateCommand: CommandModule = (program, io) => {
  const migrate = program
    .command('migrate')
    .description('from ingress-nginx, Envoy Gateway or Traefik to the Gateway API');
  for (const add of parts) add(migrate, io);
  return migrate;
};
