#!/usr/bin/env node
import { main } from './commands/main.ts';
import { simCommand } from './commands/sim.ts';

// A further command is one line here: its file exports a function that makes it.
await main([simCommand]);
