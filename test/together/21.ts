import { loadGroup } from '../support/shared-process/load-group.ts';

await loadGroup(21);
