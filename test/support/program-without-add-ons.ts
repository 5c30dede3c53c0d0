import { main } from '../../src/app/main.ts';

// The program with nothing handed in: what is left must serve all the same.
await main({});
