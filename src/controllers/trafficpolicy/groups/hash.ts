import type * as ir from '../../../ir/index.ts';
import type { GroupSpec, RuleGroup } from './group.ts';

export const hash: RuleGroup<'hash'> = { settingsOf: (keys) => ({ hash: keys.map(keyOfHash) }) };

function keyOfHash({ type, name = '' }: GroupSpec<'hash'>[number]): ir.HashKey {
  switch (type) {
    case 'Header':
      return { kind: 'header', name: name.toLowerCase() };
    case 'Cookie':
      return { kind: 'cookie', name };
    case 'QueryParam':
      return { kind: 'queryParam', name };
    case 'SourceIP':
      return { kind: 'sourceIp' };
    case 'Path':
      return { kind: 'path' };
  }
}
