import type { RuleGroup } from './group.ts';

export const upgrades: RuleGroup<'upgrades'> = {
  settingsOf: ({ protocols, connect }) => ({
    upgrades: { ...(protocols && { protocols }), ...(connect && { tunnels: true }) },
  }),
};
