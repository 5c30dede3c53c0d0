#!/usr/bin/env node
import { main } from '../src/app/index.ts';

await main();
