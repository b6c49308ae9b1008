#!/usr/bin/env node
import { main } from './commands/main.ts';

// A further command is one line here: its file exports a function that makes it. Only the one that
// is asked for is loaded.
await main({
  bench: async () => (await import('./commands/bench.ts')).benchCommand(),
  sim: async () => (await import('./commands/sim.ts')).simCommand(),
  sweep: async () => (await import('./commands/sweep.ts')).sweepCommand(),
  tune: async () => (await import('./commands/tune.ts')).tuneCommand(),
  replay: async () => (await import('./commands/replay.ts')).replayCommand(),
  drill: async () => (await import('./commands/drill.ts')).drillCommand(),
  stub: async () => (await import('./commands/stub.ts')).stubCommand(),
  gateway: async () => (await import('./commands/gateway.ts')).gatewayCommand(),
  report: async () => (await import('./commands/report.ts')).reportCommand(),
  publish: async () => (await import('./commands/publish.ts')).publishCommand(),
  calibrate: async () => (await import('./commands/calibrate.ts')).calibrateCommand(),
  k6: async () => (await import('./commands/k6.ts')).k6Command(),
  import: async () => (await import('./commands/import.ts')).importCommand(),
  alerts: async () => (await import('./commands/alerts.ts')).alertsCommand(),
  ledger: async () => (await import('./commands/ledger.ts')).ledgerCommand(),
  check: async () => (await import('./commands/check.ts')).checkCommand(),
});
